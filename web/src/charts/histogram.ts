/** A histogram: how many values lie in each bin, with the median and two percentiles marked. */

import { svg } from '../dom';
import { Unit, counted, grouped, inUnit } from '../format';
import { Chart, empty, figure } from './chart';
import { linear, logarithmic } from './scale';
import { bins, percentile, sorted } from './statistics';
import { Area, Plot, svgPlot } from './svg_plot';

const HEIGHT = 320;
const MOST_BINS = 60;
const MARKED: [number, string][] = [[0.5, 'p50'], [0.9, 'p90'], [0.99, 'p99']];

export interface HistogramData {
  name: string;
  unit: Unit;
  values: number[];
  /** Whether bins grow by a constant ratio. */
  log: boolean;
}

/** Draws a histogram. */
export function histogram({ name, unit, values, log }: HistogramData): Chart {
  const all = sorted(values);
  const used = log ? all.filter((value) => value > 0) : all;
  if (used.length === 0) {
    return empty(all.length > 0 ? `No value of ${name} is above 0.` : `${name} has no values.`);
  }
  const summary = describe(name, unit, used, values.length - used.length);
  const count = Math.min(MOST_BINS, Math.max(8, Math.ceil(Math.sqrt(used.length) * 2)));
  const binned = bins(used, count, log);
  const marks = MARKED.map(([fraction, label]) => ({ label, value: percentile(used, fraction) }));
  const [host, close] = svgPlot(HEIGHT, summary, (area) => {
    const [from, to] = [binned.edges[0] ?? 0, binned.edges[count] ?? 1];
    const x = (log ? logarithmic : linear)(from, to, area.left, area.right, unit, 8);
    const most = Math.max(...binned.counts);
    const y = linear(0, most, area.bottom, area.top + 14, '', 4);
    y.labels = y.ticks.map(grouped);
    const plot: Plot = { x, y, xTitle: name, yTitle: 'values', marks: [] };
    drawBins(plot, area, binned, unit);
    drawPercentiles(plot, area, marks, unit);
    return plot;
  });
  return figure(host, summary, close);
}

function describe(name: string, unit: Unit, used: Float64Array, left: number): string {
  const at = (fraction: number) => inUnit(percentile(used, fraction), unit);
  const leftOut = left > 0 ? ` ${counted(left, 'row')} without a usable value left out.` : '';
  return `${name}: ${counted(used.length, 'value')} from ${at(0)} to ${at(1)}; `
    + `half are at most ${at(0.5)}, 90 % at most ${at(0.9)}, 99 % at most ${at(0.99)}.${leftOut}`;
}

function drawBins(plot: Plot, area: Area, { edges, counts }: { edges: number[]; counts: number[] }, unit: Unit): void {
  counts.forEach((count, bin) => {
    const [from, to] = [edges[bin] ?? 0, edges[bin + 1] ?? 0];
    const [left, right] = [plot.x.at(from), plot.x.at(to)];
    const top = plot.y.at(count);
    const tip = `${counted(count, 'value')}\n${inUnit(from, unit)} to ${inUnit(to, unit)}`;
    const width = Math.max(right - left - 1, 1);
    plot.marks.push(svg('rect', { class: 'bar', x: left, y: top, width, height: area.bottom - top }));
    // The whole column reacts to the pointer, as low bars are hard to hit.
    const height = area.bottom - area.top;
    plot.marks.push(svg('rect', { class: 'hit', x: left, y: area.top, width: right - left, height, 'data-tip': tip }));
  });
}

function drawPercentiles(plot: Plot, area: Area, marks: { label: string; value: number }[], unit: Unit): void {
  let taken = -Infinity;
  for (const { label, value } of marks) {
    const at = Math.round(plot.x.at(value)) + 0.5;
    plot.marks.push(svg('line', { class: 'marker', x1: at, x2: at, y1: area.top + 12, y2: area.bottom }));
    if (at - taken < 34) continue;
    taken = at;
    const tip = `${label}\n${inUnit(value, unit)}`;
    plot.marks.push(
      svg('text', { class: 'marker-label', x: at, y: area.top + 8, 'text-anchor': 'middle', 'data-tip': tip }, label),
    );
  }
}
