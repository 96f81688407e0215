/** Scales from values to pixels, and their tick marks. */

import { Unit, labels } from '../format';

export interface Scale {
  /** The pixel of a value. */
  at(value: number): number;
  /** The values at the tick marks. */
  ticks: number[];
  /** The text at each tick mark. */
  labels: string[];
}

/** The step between tick marks: a round number near `rough`. */
function niceStep(rough: number, unit: Unit): number {
  const base = unit === 'bytes' ? 2 : 10;
  const power = base ** Math.floor(Math.log(rough) / Math.log(base));
  if (unit === 'bytes') return power * (rough > power ? 2 : 1);
  const ratio = rough / power;
  return power * (ratio < 1.5 ? 1 : ratio < 3.5 ? 2 : ratio < 7.5 ? 5 : 10);
}

/** A linear scale. */
export function linear(from: number, to: number, start: number, end: number, unit: Unit, count = 5): Scale {
  const span = to > from ? to - from : 1;
  const step = niceStep(span / count, unit);
  const ticks: number[] = [];
  for (let tick = Math.ceil(from / step - 1e-9) * step; tick <= from + span * 1.000001; tick += step) {
    ticks.push(Math.abs(tick) < step * 1e-6 ? 0 : tick);
  }
  return {
    at: (value) => start + ((value - from) / span) * (end - start),
    ticks,
    labels: labels(ticks, unit),
  };
}

/** A logarithmic scale; its ticks are powers of ten. */
export function logarithmic(from: number, to: number, start: number, end: number, unit: Unit, count = 8): Scale {
  const low = Math.log(from);
  const span = Math.max(Math.log(to) - low, 1e-9);
  const powers: number[] = [];
  for (let power = Math.ceil(Math.log10(from) - 1e-9); 10 ** power <= to * 1.000001; power++) powers.push(10 ** power);
  const every = Math.max(1, Math.ceil(powers.length / count));
  const ticks = powers.filter((_, index) => index % every === 0);
  return {
    at: (value) => start + ((Math.log(value) - low) / span) * (end - start),
    ticks,
    labels: labels(ticks, unit),
  };
}
