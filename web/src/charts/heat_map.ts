/** A heat map of latencies: time across, durations upwards, and the colour counts. */

import { h, svg } from '../dom';
import { Unit, compact, counted, duration, grouped, inUnit } from '../format';
import { Chart, empty, figure } from './chart';
import { linear, logarithmic } from './scale';
import { binOf, edges, percentile, sorted } from './statistics';
import { Area, MARGIN, svgPlot } from './svg_plot';

const HEIGHT = 360;
const ROWS = 36;
/** The number of colours; the style sheet has one for each. */
const COLOURS = 9;

export interface HeatMapData {
  name: string;
  unit: Unit;
  /** In ns since the start of the trace. */
  times: number[];
  values: number[];
}

interface Point { time: number; value: number }

/** Draws a heat map. */
export function heatMap({ name, unit, times, values }: HeatMapData): Chart {
  const points: Point[] = [];
  times.forEach((time, index) => {
    const value = values[index] ?? NaN;
    if (Number.isFinite(time) && value > 0) points.push({ time, value });
  });
  if (points.length === 0) return empty(`No row has both a time and a ${name} above 0.`);
  const summary = describe(name, unit, points, times.length - points.length);
  const legend = h('div', { class: 'legend' });
  const [host, close] = svgPlot(HEIGHT, summary, (area) => draw(points, name, unit, area, legend));
  const drawing = h('div', {}, host, legend);
  return figure(drawing, summary, close);
}

function describe(name: string, unit: Unit, points: Point[], left: number): string {
  const all = sorted(points.map((point) => point.value));
  const worst = points.reduce((worst, point) => (point.value > worst.value ? point : worst));
  const leftOut = left > 0 ? ` ${counted(left, 'row')} without a usable value left out.` : '';
  return `${name} over time: ${counted(points.length, 'value')}; the median is ${inUnit(percentile(all, 0.5), unit)}, `
    + `the largest ${inUnit(worst.value, unit)} at ${duration(worst.time)}.${leftOut}`;
}

/** The least and the greatest number. */
function bounds(values: number[]): [number, number] {
  let [low, high] = [Infinity, -Infinity];
  for (const value of values) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return [low, high];
}

function draw(points: Point[], name: string, unit: Unit, area: Area, legend: HTMLElement) {
  const columns = Math.max(10, Math.min(160, Math.floor((area.right - area.left) / 8)));
  let [from, to] = bounds(points.map((point) => point.time));
  if (from === to) to = from + 1;
  let [low, high] = bounds(points.map((point) => point.value));
  if (low === high) [low, high] = [low / 2, high * 2];
  const counts = new Array<number>(columns * ROWS).fill(0);
  for (const { time, value } of points) {
    const cell = binOf(value, low, high, ROWS, true) * columns + binOf(time, from, to, columns, false);
    counts[cell] = (counts[cell] ?? 0) + 1;
  }
  const x = linear(from, to, area.left, area.right, 'ns', 8);
  const y = logarithmic(low, high, area.bottom, area.top, unit);
  const [timeEdges, valueEdges] = [edges(from, to, columns, false), edges(low, high, ROWS, true)];
  const most = Math.max(...counts);
  const marks: SVGElement[] = [];
  counts.forEach((count, cell) => {
    if (count === 0) return;
    const [row, column] = [Math.floor(cell / columns), cell % columns];
    const [left, right] = [x.at(timeEdges[column] ?? 0), x.at(timeEdges[column + 1] ?? 0)];
    const [bottom, top] = [y.at(valueEdges[row] ?? 1), y.at(valueEdges[row + 1] ?? 1)];
    const tip = `${counted(count, 'value')}\n${inUnit(valueEdges[row] ?? 0, unit)} to ${inUnit(valueEdges[row + 1] ?? 0, unit)}`
      + `\nat ${duration(timeEdges[column] ?? 0)}`;
    const size = { x: left, y: top, width: right - left + 0.3, height: bottom - top + 0.3 };
    marks.push(svg('rect', { class: `heat heat-${colourOf(count, most)}`, ...size, 'data-tip': tip }));
  });
  drawLegend(legend, most);
  return { x, y, xTitle: 'time since the start of the trace', yTitle: name, marks };
}

/** The colour of a count, from 1; counts grow by a constant ratio from colour to colour. */
function colourOf(count: number, most: number): number {
  if (most <= 1) return COLOURS;
  return 1 + Math.round(((COLOURS - 1) * Math.log(count)) / Math.log(most));
}

function drawLegend(legend: HTMLElement, most: number): void {
  legend.style.paddingLeft = `${MARGIN.left}px`;
  const swatches = Array.from({ length: COLOURS }, (_, index) => h('i', { class: `heat-${index + 1}` }));
  const last = most < 1e5 ? grouped(most) : compact(most);
  legend.replaceChildren('values per cell: 1', h('span', { class: 'swatches', 'aria-hidden': 'true' }, ...swatches), last);
}
