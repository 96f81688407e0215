/** The sections of a report. */

import { Bar, bars } from '../charts/bars';
import { flameGraph } from '../charts/flame_graph';
import { timeSeries } from '../charts/time_series';
import { h } from '../dom';
import { Unit, counted, duration, grouped, unitNamed, unitOf } from '../format';
import { healthSection } from '../health';
import { Cell, Rows, toNumber, toText } from '../result';
import { CounterSeries, Section, TraceReport, missingReason } from './data';
import { latencyChart } from './latency_chart';

/** The number of threads that are drawn, and of slices that are listed. */
const MOST_THREADS = 25;

/** A section of the report: its title and what it shows of all traces. */
export interface ReportSection {
  id: string;
  title: string;
  draw(traces: TraceReport[]): HTMLElement;
}

export const SECTIONS: ReportSection[] = [
  { id: 'trace', title: 'Trace', draw: (traces) => sides(traces, factList) },
  { id: 'health', title: 'Health', draw: (traces) => sides(traces, ({ health }) => healthSection(health)) },
  { id: 'threads', title: 'Threads by CPU time', draw: threads },
  { id: 'run-queue', title: 'Run-queue latency', draw: runQueue },
  { id: 'slices', title: 'Longest slices, by name', draw: (traces) => sides(traces, longestSlices) },
  { id: 'flame-graph', title: 'Flame graph of slices', draw: (traces) => sides(traces, flames) },
  { id: 'counters', title: 'Counters over time', draw: counters },
];

/** One block for each trace, under its name when there are two. */
function sides(traces: TraceReport[], draw: (trace: TraceReport) => HTMLElement): HTMLElement {
  const side = (trace: TraceReport, index: number) => h('div', { class: index === 0 ? 'side' : 'side second' },
    traces.length > 1 && h('h3', {}, trace.name), draw(trace));
  return h('div', { class: 'sides' }, ...traces.map(side));
}

/** The reason why a section is empty, or what `draw` makes of it. */
function unlessMissing<T extends object>(section: Section<T>, draw: (section: T) => HTMLElement): HTMLElement {
  const reason = missingReason(section);
  return reason === null ? draw(section as T) : h('p', { class: 'empty' }, reason);
}

function factList({ facts }: TraceReport): HTMLElement {
  return h('dl', { class: 'facts' }, ...facts.flatMap(([name, value]) => [h('dt', {}, name), h('dd', {}, value)]));
}

function threads(traces: TraceReport[]): HTMLElement {
  const usable = traces.filter(({ threads }) => missingReason(threads) === null);
  if (usable.length < traces.length || traces.length === 1) {
    return sides(traces, ({ threads }) => unlessMissing(threads, (rows) => threadBars(rowsToBars(rows))));
  }
  const [first, second] = traces.map(({ threads }) => rowsToBars(threads as Rows)) as [Bar[], Bar[]];
  return threadBars(joined(first, second), [traces[0]?.name ?? '', traces[1]?.name ?? '']);
}

function threadBars(all: Bar[], names?: [string, string]): HTMLElement {
  return bars({ title: 'thread', valueName: 'CPU time', unit: 'ns', bars: all, traces: names, most: MOST_THREADS }).element;
}

/** Rows of thread, process and time. */
function rowsToBars({ rows }: Rows): Bar[] {
  return rows.map((row) => ({ name: toText(row[0]), of: toText(row[1]), value: toNumber(row[2]) }));
}

/** Threads of the same name and process in both traces become one bar, the largest first. */
function joined(first: Bar[], second: Bar[]): Bar[] {
  const byName = new Map<string, Bar>();
  const key = (bar: Bar) => `${bar.name}\n${bar.of}`;
  const add = (bar: Bar, which: 'value' | 'against') => {
    const found = byName.get(key(bar)) ?? { ...bar, value: NaN, against: NaN };
    const before = found[which] ?? NaN;
    found[which] = bar.value + (Number.isFinite(before) ? before : 0);
    byName.set(key(bar), found);
  };
  first.forEach((bar) => add(bar, 'value'));
  second.forEach((bar) => add(bar, 'against'));
  const largest = (bar: Bar) => Math.max(bar.value || 0, bar.against || 0);
  return [...byName.values()].sort((a, b) => largest(b) - largest(a));
}

function runQueue(traces: TraceReport[]): HTMLElement {
  const usable = traces.filter(({ run_queue }) => missingReason(run_queue) === null);
  const reasons = traces.filter((trace) => !usable.includes(trace)).map((trace) =>
    h('p', { class: 'empty' }, traces.length > 1 ? `${trace.name}: ` : '', missingReason(trace.run_queue)));
  const series = usable.map(({ name, run_queue }) => ({ name, rows: (run_queue as Rows).rows, index: traces.findIndex((trace) => trace.name === name) }));
  return h('div', {}, ...reasons, usable.length > 0 && latencyChart(series));
}

function longestSlices({ longest_slices, start_ts }: TraceReport): HTMLElement {
  return unlessMissing(longest_slices, ({ rows }) => {
    const start = start_ts === null ? 0n : BigInt(start_ts);
    const line = (row: Cell[]) => h('tr', {},
      h('td', { class: 'name', title: toText(row[0]) }, h('div', {}, toText(row[0]))),
      h('td', { class: 'number' }, duration(toNumber(row[3]))),
      h('td', { class: 'number' }, duration(Number(BigInt(row[4] ?? 0) - start))),
      h('td', { class: 'number' }, grouped(toNumber(row[5]))),
      h('td', {}, toText(row[1]), toText(row[2]) && h('span', { class: 'dim' }, ` ${toText(row[2])}`)));
    const head = h('tr', {}, h('th', { scope: 'col' }, 'slice'), h('th', { scope: 'col', class: 'number' }, 'duration'),
      h('th', { scope: 'col', class: 'number' }, 'begins at'), h('th', { scope: 'col', class: 'number' }, 'of this name'),
      h('th', { scope: 'col' }, 'thread or track'));
    return h('div', { class: 'wide' }, h('table', { class: 'plain full' }, h('thead', {}, head), h('tbody', {}, ...rows.map(line))));
  });
}

function flames({ flame_graph }: TraceReport): HTMLElement {
  return unlessMissing(flame_graph, ({ of, tree }) => flameGraph(tree, 'ns', `slices of ${of}`).element);
}

function counters(traces: TraceReport[]): HTMLElement {
  const [first, second] = traces.map(({ counters }) => (missingReason(counters) === null ? (counters as { series: CounterSeries[] }).series : null));
  if (first && second) return pairs(traces, first, second);
  return sides(traces, ({ counters }) => unlessMissing(counters, ({ series }) => h('div', { class: 'counters' }, ...series.map(counter))));
}

/** Counters of the same name and owner next to each other. */
function pairs(traces: TraceReport[], first: CounterSeries[], second: CounterSeries[]): HTMLElement {
  const key = ({ name, owner }: CounterSeries) => `${name}\n${owner}`;
  const keys = new Set([...first, ...second].map(key));
  const heads = traces.map(({ name }, index) => h('div', { class: index === 0 ? 'side' : 'side second' }, h('h3', {}, name)));
  const cell = (all: CounterSeries[], wanted: string) => {
    const found = all.find((series) => key(series) === wanted);
    const reason = `${wanted.replace('\n', ' ').trim()}: not among the counters with the most values.`;
    return found ? counter(found) : h('p', { class: 'empty' }, reason);
  };
  return h('div', { class: 'sides counters' }, ...heads, ...[...keys].flatMap((wanted) => [cell(first, wanted), cell(second, wanted)]));
}

function counter({ name, unit, owner, values, points }: CounterSeries): HTMLElement {
  const known: Unit = unitNamed(unit) || unitOf(name);
  const chart = timeSeries({
    valueName: known === '' && unit ? `${name} (${unit})` : name,
    unit: known,
    series: [{ name, times: points.map(([time]) => time), values: points.map(([, value]) => value) }],
    stepped: true,
    height: 130,
  });
  const reduced = values > points.length ? `, drawn with ${grouped(points.length)}` : '';
  const caption = `${counted(values, 'value')}${reduced}${unit && known === '' ? `, in ${unit}` : ''}`;
  chart.element.querySelector('figcaption')?.replaceChildren(caption);
  return h('div', {}, h('h3', {}, name, owner && h('span', { class: 'dim' }, ` ${owner}`)), chart.element);
}
