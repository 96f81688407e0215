/** Percentiles, and bins of values. */

/** The value below which a fraction of the sorted values lies. */
export function percentile(sorted: ArrayLike<number>, fraction: number): number {
  if (sorted.length === 0) return NaN;
  const index = Math.ceil(fraction * sorted.length) - 1;
  return sorted[Math.min(Math.max(index, 0), sorted.length - 1)] ?? NaN;
}

/** Finite values in ascending order. */
export function sorted(values: number[]): Float64Array {
  return Float64Array.from(values.filter(Number.isFinite)).sort();
}

export interface Bins {
  /** The edges: one more than there are bins. */
  edges: number[];
  counts: number[];
}

/** The edges of equal bins, or of bins of equal ratio. */
export function edges(from: number, to: number, count: number, log: boolean): number[] {
  const at = log
    ? (part: number) => from * (to / from) ** part
    : (part: number) => from + (to - from) * part;
  return Array.from({ length: count + 1 }, (_, index) => at(index / count));
}

/** The bin of a value; the last bin has its upper edge. */
export function binOf(value: number, from: number, to: number, count: number, log: boolean): number {
  const part = log ? Math.log(value / from) / Math.log(to / from) : (value - from) / (to - from);
  return Math.min(Math.max(Math.floor(part * count), 0), count - 1);
}

/** Counts sorted values in bins. With `log`, values of 0 and less are left out. */
export function bins(values: ArrayLike<number>, count: number, log: boolean): Bins {
  const all = Array.from(values).filter((value) => !log || value > 0);
  let from = all[0] ?? 0;
  let to = all[all.length - 1] ?? 1;
  if (from === to) [from, to] = log ? [from / 2, to * 2] : [from - 0.5, to + 0.5];
  const counts = new Array<number>(count).fill(0);
  for (const value of all) {
    const bin = binOf(value, from, to, count, log);
    counts[bin] = (counts[bin] ?? 0) + 1;
  }
  return { edges: edges(from, to, count, log), counts };
}
