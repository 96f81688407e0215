/** Lines over time. Dragging selects a range; the arrow keys, + and - move and scale it. */

import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { h, onResize } from '../dom';
import { Unit, counted, duration, inUnit, labels } from '../format';
import { Chart, empty, figure } from './chart';
import { hideTooltip, showTooltip } from './tooltip';
import { SERIES_COLOURS, cssVariable, onSchemeChange, seriesColour } from './series_colour';

/** Below this height there is no legend. */
const SMALL = 200;
/** Steps between tick marks of sizes. */
const BINARY_STEPS = Array.from({ length: 50 }, (_, power) => 2 ** power);

export interface Series {
  name: string;
  /** In ns since the start of the trace, ascending. */
  times: number[];
  values: number[];
}

export interface TimeSeriesData {
  valueName: string;
  unit: Unit;
  series: Series[];
  /** Whether a value lasts until the next one, as that of a counter does. */
  stepped: boolean;
  height?: number;
}

/** Draws lines over time. */
export function timeSeries({ valueName, unit, series, stepped, height = 340 }: TimeSeriesData): Chart {
  const usable = series.filter(({ times }) => times.length > 0);
  if (usable.length === 0) return empty(`${valueName} has no values.`);
  const shown = [...usable].sort((a, b) => b.times.length - a.times.length).slice(0, SERIES_COLOURS);
  const summary = describe(valueName, unit, shown, usable.length);
  const host = h('div', { class: 'plot lines', tabindex: 0, role: 'img', 'aria-label': `${summary} Keys: arrows move, + and - scale, 0 shows all.` });
  const data = uPlot.join(shown.map(({ times, values }) => [times, values] as uPlot.AlignedData));
  let chart: uPlot | null = null;
  const stopResize = onResize(host, (width) => {
    if (chart) chart.setSize({ width, height });
    else chart = new uPlot(options(shown, unit, stepped, width, height), data, host);
  });
  const stopScheme = onSchemeChange(() => chart?.redraw(false, true));
  host.addEventListener('keydown', (event) => {
    if (chart && moveByKey(chart, event.key)) event.preventDefault();
  });
  return figure(host, summary, () => {
    stopResize();
    stopScheme();
    chart?.destroy();
  });
}

function describe(valueName: string, unit: Unit, shown: Series[], all: number): string {
  let [low, high, points, first, last] = [Infinity, -Infinity, 0, Infinity, -Infinity];
  for (const { times, values } of shown) {
    points += times.length;
    first = Math.min(first, times[0] ?? first);
    last = Math.max(last, times[times.length - 1] ?? last);
    for (const value of values) {
      if (value < low) low = value;
      if (value > high) high = value;
    }
  }
  const rest = shown.length < all ? ` The ${shown.length} longest of ${all} series are shown.` : '';
  const lines = all > 1 ? ` in ${counted(shown.length, 'series', 'series')}` : '';
  return `${valueName}: ${counted(points, 'value')}${lines} from ${duration(first)} to ${duration(last)}, `
    + `between ${inUnit(low, unit)} and ${inUnit(high, unit)}.${rest}`;
}

function options(series: Series[], unit: Unit, stepped: boolean, width: number, height: number): uPlot.Options {
  const axis = (): Partial<uPlot.Axis> => ({
    stroke: () => cssVariable('--dim'),
    grid: { stroke: () => cssVariable('--grid'), width: 1 },
    ticks: { stroke: () => cssVariable('--grid'), width: 1, size: 4 },
    font: '11px system-ui, sans-serif',
  });
  const isSmall = height < SMALL;
  const paths = stepped ? uPlot.paths.stepped?.({ align: 1 }) : undefined;
  const value = (_: uPlot, value: number | null) => (value === null ? '–' : inUnit(value, unit));
  return {
    width,
    height,
    // A small chart shows its values next to the pointer.
    legend: { show: !isSmall, live: true },
    hooks: isSmall ? { setCursor: [(chart) => showValues(chart, unit)] } : {},
    scales: { x: { time: false } },
    cursor: { drag: { x: true, y: false }, points: { size: 6 } },
    axes: [
      { ...axis(), values: (_, ticks) => labels(ticks, 'ns'), space: 80, size: 32 },
      { ...axis(), values: (_, ticks) => labels(ticks, unit), size: 64, space: isSmall ? 26 : 44, ...(unit === 'bytes' ? { incrs: BINARY_STEPS } : {}) },
    ],
    series: [
      { label: 'time', value: (_, time) => (time === null ? '–' : duration(time)) },
      ...series.map(({ name, times }, index): uPlot.Series => ({
        label: name || '(no name)',
        stroke: () => seriesColour(index),
        width: 1.25,
        spanGaps: true,
        points: { show: times.length < 100, size: 4 },
        paths,
        value,
      })),
    ],
  };
}

/** Shows the time and the values at the pointer. */
function showValues(chart: uPlot, unit: Unit): void {
  const { idx, left = -1, top = -1 } = chart.cursor;
  if (idx === null || idx === undefined || left < 0) return hideTooltip();
  const box = chart.over.getBoundingClientRect();
  const values = chart.data.slice(1).map((series) => series[idx]).filter((value) => typeof value === 'number');
  const time = chart.data[0][idx] ?? 0;
  showTooltip(box.left + left, box.top + top, [...values.map((value) => inUnit(value, unit, 4)), `at ${duration(time, 4)}`]);
}

/** Moves or scales the range of time; returns whether the key means that. */
function moveByKey(chart: uPlot, key: string): boolean {
  const { min, max } = chart.scales.x ?? {};
  if (min === undefined || max === undefined || min === null || max === null) return false;
  const times = chart.data[0];
  const [first, last] = [times[0] ?? min, times[times.length - 1] ?? max];
  const span = max - min;
  const set = (from: number, to: number) => chart.setScale('x', { min: Math.max(from, first), max: Math.min(to, last) });
  switch (key) {
    case 'ArrowLeft': set(Math.max(min - span / 5, first), Math.max(min - span / 5, first) + span); return true;
    case 'ArrowRight': set(Math.min(max + span / 5, last) - span, Math.min(max + span / 5, last)); return true;
    case '+': case '=': set(min + span / 4, max - span / 4); return true;
    case '-': set(min - span / 2, max + span / 2); return true;
    case '0': case 'Home': set(first, last); return true;
    default: return false;
  }
}
