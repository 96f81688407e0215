/** Percentiles of latencies: one line for each trace, and the numbers in a table. */

import { figure } from '../charts/chart';
import { linear, logarithmic } from '../charts/scale';
import { svgPlot } from '../charts/svg_plot';
import { h, svg } from '../dom';
import { duration } from '../format';
import { Cell, toNumber } from '../result';

const HEIGHT = 260;

/** The percentiles of a trace: rows of a percentile and the latency in ns, ascending. */
export interface LatencySeries {
  name: string;
  rows: Cell[][];
  /** Whether it is the first trace or the second. */
  index: number;
}

/** Draws latencies by percentile; high percentiles get as much room as low ones. */
export function latencyChart(all: LatencySeries[]): HTMLElement {
  const summary = all.map(({ name, rows }) => {
    const at = (percent: number) => duration(toNumber(rows.find((row) => toNumber(row[0]) === percent)?.[1]) || 0);
    const subject = all.length > 1 ? `${name}: half` : 'Half';
    return `${subject} of the waits for a CPU end within ${at(50)}, 99 % within ${at(99)}; the longest takes ${at(100)}.`;
  }).join(' ');
  const values = all.flatMap(({ rows }) => rows.map((row) => Math.max(toNumber(row[1]), 1)));
  const [host, close] = svgPlot(HEIGHT, summary, (area) => {
    const percents = all[0]?.rows.map((row) => toNumber(row[0])) ?? [];
    const place = new Map(percents.map((percent, index) => [percent, index]));
    const x = linear(0, Math.max(percents.length - 1, 1), area.left + 12, area.right - 24, '', percents.length);
    x.ticks = percents.map((_, index) => index);
    x.labels = percents.map(label);
    const y = logarithmic(Math.min(...values), Math.max(...values) * 1.2, area.bottom, area.top, 'ns', 6);
    const marks = all.flatMap(({ name, rows, index }) => {
      const points = rows.map((row) => [x.at(place.get(toNumber(row[0])) ?? 0), y.at(Math.max(toNumber(row[1]), 1)), row] as const);
      const line = svg('polyline', { class: `latency latency-${index + 1}`, points: points.map(([left, top]) => `${left},${top}`).join(' ') });
      const dots = points.map(([cx, cy, row]) => svg('circle', {
        class: `latency-dot latency-${index + 1}`, cx, cy, r: 4, 'data-tip': `${duration(toNumber(row[1]))}\n${label(toNumber(row[0]))} of ${name}`,
      }));
      return [line, ...dots];
    });
    return { x, y, xTitle: 'percentile', yTitle: 'wait for a CPU', marks };
  });
  return h('div', {}, figure(host, summary, close).element, numbers(all));
}

const label = (percent: number) => (percent === 100 ? 'max' : `p${percent}`);

function numbers(all: LatencySeries[]): HTMLElement {
  const percents = all[0]?.rows.map((row) => toNumber(row[0])) ?? [];
  const head = h('tr', {}, h('th', { scope: 'col' }, 'trace'), ...percents.map((percent) => h('th', { scope: 'col', class: 'number' }, label(percent))));
  const body = all.map(({ name, rows }) => h('tr', {}, h('th', { scope: 'row' }, name),
    ...rows.map((row) => h('td', { class: 'number' }, duration(toNumber(row[1]))))));
  return h('div', { class: 'wide' }, h('table', { class: 'plain' }, h('thead', {}, head), h('tbody', {}, ...body)));
}
