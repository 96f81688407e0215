/** Numbers, durations and sizes as text. */

/** What the numbers of a column count. */
export type Unit = 'ns' | 'bytes' | 'percent' | '';

const NUMBER = new Intl.NumberFormat('en-US', { maximumFractionDigits: 3 });
const TIMES: [number, string][] = [[1e9, 's'], [1e6, 'ms'], [1e3, 'µs'], [1, 'ns']];
const COUNTS: [number, string][] = [[1e12, ' T'], [1e9, ' G'], [1e6, ' M'], [1e3, ' k']];
const SIZES: [number, string][] = [[2 ** 40, 'TiB'], [2 ** 30, 'GiB'], [2 ** 20, 'MiB'], [2 ** 10, 'KiB']];

/** A number with its thousands separated. */
export function grouped(value: number): string {
  return Math.abs(value) >= 1e15 ? value.toPrecision(6) : NUMBER.format(value);
}

/** About so many significant digits, without an exponent. */
function short(value: number, digits: number): string {
  const size = Math.abs(value);
  if (size >= 10 ** (digits - 1) || Number.isInteger(value)) return NUMBER.format(Math.round(value));
  return String(Number(value.toPrecision(digits)));
}

/** A duration in the unit that suits it: `1.23 ms`. */
export function duration(ns: number, digits = 3): string {
  if (ns === 0) return '0';
  const size = Math.abs(ns);
  const [scale, unit] = TIMES.find(([scale]) => size >= scale * 0.9995) ?? [1, 'ns'];
  return `${short(ns / scale, digits)} ${unit}`;
}

/** A size in bytes: `1.2 MiB`. */
export function bytes(value: number, digits = 3): string {
  const [scale, unit] = SIZES.find(([scale]) => Math.abs(value) >= scale) ?? [1, 'bytes'];
  return `${short(value / scale, digits)} ${unit}`;
}

/** A number shortened to three digits and a letter: `12.3 k`. */
export function compact(value: number, digits = 3): string {
  const size = Math.abs(value);
  if (size !== 0 && size < 1e-3) return value.toExponential(1);
  const [scale, letter] = COUNTS.find(([scale]) => size >= scale * 0.9995) ?? [1, ''];
  return `${short(value / scale, digits)}${letter}`;
}

/** A value in its unit. */
export function inUnit(value: number, unit: Unit, digits = 3): string {
  switch (unit) {
    case 'ns': return duration(value, digits);
    case 'bytes': return bytes(value, digits);
    case 'percent': return `${short(value, digits)} %`;
    default: return compact(value, digits);
  }
}

/** The labels of tick marks, with as many digits as tell them apart. */
export function labels(values: number[], unit: Unit): string[] {
  for (let digits = 3; digits < 9; digits++) {
    const texts = values.map((value) => inUnit(value, unit, digits));
    if (new Set(texts).size === texts.length) return texts;
  }
  return values.map(grouped);
}

/** A part of a whole in percent. */
export function share(part: number, whole: number): string {
  if (whole === 0) return '0 %';
  const percent = (100 * part) / whole;
  return `${percent >= 10 ? percent.toFixed(0) : percent.toPrecision(2)} %`;
}

/** A number with its noun: `1 row`, `2 rows`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${grouped(count)} ${count === 1 ? one : many}`;
}

/** What the numbers of a column count, as its name states it in the tables of a trace. */
export function unitOf(name: string): Unit {
  const lower = name.toLowerCase();
  if (/(^|_)(dur|duration|ns|latency|wall|cpu_time|delay)$/.test(lower) || lower.endsWith('_ns')) return 'ns';
  if (/(^|_)(bytes|size)$/.test(lower)) return 'bytes';
  if (/(^|_)(percent|pct)$/.test(lower)) return 'percent';
  return '';
}

/** The unit of a counter, as the trace states it. */
export function unitNamed(text: string | null): Unit {
  const lower = (text ?? '').toLowerCase();
  if (lower === 'ns') return 'ns';
  return lower === 'bytes' || lower === 'byte' ? 'bytes' : '';
}
