/** The views of a result: what columns each needs, how it guesses them, and how it draws them. */

import { bars } from '../charts/bars';
import { Chart, empty } from '../charts/chart';
import { flameGraph } from '../charts/flame_graph';
import { fromParents, fromStacks } from '../charts/flame_tree';
import { heatMap } from '../charts/heat_map';
import { histogram } from '../charts/histogram';
import { Series, timeSeries } from '../charts/time_series';
import { unitOf } from '../format';
import { Column, Result, isNumeric, numbers, timesSince, toNumber, toText } from '../result';

/** A column that a view asks for. */
export interface Role {
  id: string;
  label: string;
  accepts: (column: Column) => boolean;
  /** Names that are chosen first. */
  prefers: RegExp;
  /** Whether the view can do without it. */
  optional?: boolean;
}

/** A choice between words. */
export interface Option {
  id: string;
  label: string;
  values: [string, string][];
}

/** The columns and words that were chosen. */
export interface Chosen {
  /** The index of the column of a role; -1 for none. */
  column(role: string): number;
  option(id: string): string;
}

export interface View {
  id: string;
  title: string;
  roles: Role[];
  options: Option[];
  draw(result: Result, chosen: Chosen, start: bigint): Chart;
}

const any = () => true;
const text = (column: Column) => !isNumeric(column);
const VALUES = /^(dur|value|.*_dur|.*_ns|ns|total|sum|cpu_time)$/i;
const LABELS = /^(name|thread|process|.*_name|label|key|series|counter|track)$/i;
const LATENCY = /^(dur|latency|.*_dur|.*_latency|.*_ns|ns|value)$/i;
const time: Role = { id: 'time', label: 'Time', accepts: isNumeric, prefers: /^(ts|time|.*_ts|ts_.*)$/i };

const series: View = {
  id: 'time_series',
  title: 'Time series',
  roles: [
    time,
    { id: 'value', label: 'Value', accepts: isNumeric, prefers: /^(value|.*_value|count|dur)$/i },
    { id: 'series', label: 'Series', accepts: any, prefers: LABELS, optional: true },
  ],
  options: [{ id: 'line', label: 'Line', values: [['stepped', 'stepped'], ['straight', 'straight']] }],
  draw(result, chosen, start) {
    const valueColumn = chosen.column('value');
    const name = result.columns[valueColumn]?.name ?? '';
    const split = splitSeries(result, chosen, start);
    return timeSeries({ valueName: name, unit: unitOf(name), series: split, stepped: chosen.option('line') !== 'straight' });
  },
};

function splitSeries(result: Result, chosen: Chosen, start: bigint): Series[] {
  const times = timesSince(result.rows, chosen.column('time'), start);
  const values = numbers(result.rows, chosen.column('value'));
  const seriesColumn = chosen.column('series');
  const byName = new Map<string, [number, number][]>();
  result.rows.forEach((row, index) => {
    const [time, value] = [times[index] ?? NaN, values[index] ?? NaN];
    if (!Number.isFinite(time) || !Number.isFinite(value)) return;
    const name = seriesColumn < 0 ? (result.columns[chosen.column('value')]?.name ?? '') : toText(row[seriesColumn]);
    const points = byName.get(name) ?? [];
    points.push([time, value]);
    byName.set(name, points);
  });
  return [...byName].map(([name, points]) => {
    points.sort((a, b) => a[0] - b[0]);
    return { name, times: points.map((point) => point[0]), values: points.map((point) => point[1]) };
  });
}

const histogramView: View = {
  id: 'histogram',
  title: 'Histogram',
  roles: [{ id: 'value', label: 'Value', accepts: isNumeric, prefers: LATENCY }],
  options: [{ id: 'scale', label: 'Scale', values: [['log', 'logarithmic'], ['linear', 'linear']] }],
  draw(result, chosen) {
    const column = chosen.column('value');
    const name = result.columns[column]?.name ?? '';
    const unit = unitOf(name);
    // A duration of -1: the end is not in the trace.
    const values = numbers(result.rows, column).map((value) => (unit === 'ns' && value < 0 ? NaN : value));
    return histogram({ name, unit, values, log: chosen.option('scale') !== 'linear' });
  },
};

const barsView: View = {
  id: 'bars',
  title: 'Bars',
  roles: [
    { id: 'name', label: 'Name', accepts: any, prefers: LABELS },
    { id: 'value', label: 'Value', accepts: isNumeric, prefers: VALUES },
  ],
  options: [],
  draw(result, chosen) {
    const [name, value] = [chosen.column('name'), chosen.column('value')];
    const valueName = result.columns[value]?.name ?? '';
    return bars({
      title: result.columns[name]?.name ?? '',
      valueName,
      unit: unitOf(valueName),
      bars: result.rows.map((row) => ({ name: toText(row[name]), value: toNumber(row[value]) })),
    });
  },
};

const heatMapView: View = {
  id: 'heat_map',
  title: 'Heat map',
  roles: [time, { id: 'value', label: 'Latency', accepts: isNumeric, prefers: LATENCY }],
  options: [],
  draw(result, chosen, start) {
    const value = chosen.column('value');
    const name = result.columns[value]?.name ?? '';
    const times = timesSince(result.rows, chosen.column('time'), start);
    return heatMap({ name, unit: unitOf(name), times, values: numbers(result.rows, value) });
  },
};

const flameView: View = {
  id: 'flame_graph',
  title: 'Flame graph',
  roles: [
    { id: 'name', label: 'Name or stack', accepts: text, prefers: /^(stack|name|.*_name)$/i },
    { id: 'value', label: 'Value', accepts: isNumeric, prefers: /^(dur|value|.*_dur|self|samples|count|number)$/i },
    { id: 'id', label: 'Id', accepts: any, prefers: /^(id|.*slice_id)$/i, optional: true },
    { id: 'parent', label: 'Parent', accepts: any, prefers: /^parent(_id)?$/i, optional: true },
    { id: 'group', label: 'Group', accepts: any, prefers: /^(thread|process|track|thread_name|process_name|group)$/i, optional: true },
  ],
  options: [],
  draw(result, chosen) {
    const [id, parent, name, value] = ['id', 'parent', 'name', 'value'].map((role) => chosen.column(role)) as [number, number, number, number];
    const unit = unitOf(result.columns[value]?.name ?? '');
    if (id >= 0 && parent >= 0) {
      return flameGraph(fromParents(result.rows, { id, parent, name, value, group: chosen.column('group') }), unit, 'slices');
    }
    const isStack = result.rows.some((row) => toText(row[name]).includes(';'));
    if (!isStack) return empty('A flame graph needs the columns id, parent_id, name and dur of slices, or stacks with ; between their frames.');
    return flameGraph(fromStacks(result.rows, name, value), unit, 'stacks');
  },
};

/** The charts, in the order of their tabs. */
export const CHARTS: View[] = [series, histogramView, barsView, heatMapView, flameView];

/** Chooses a column for each role: the wanted one, else one by its name, else by its type. */
export function choose(view: View, columns: Column[], wanted: Record<string, string>): Record<string, string> {
  const chosen: Record<string, string> = {};
  const taken = new Set<string>();
  const take = (role: Role, name: string) => {
    chosen[role.id] = name;
    if (name) taken.add(name);
  };
  const names = new Set(columns.map((column) => column.name));
  for (const role of view.roles) {
    const name = wanted[role.id];
    if (name !== undefined && (names.has(name) || (name === '' && role.optional))) take(role, name);
  }
  for (const role of view.roles.filter((role) => chosen[role.id] === undefined)) {
    const usable = columns.filter((column) => role.accepts(column) && !taken.has(column.name));
    const byName = usable.find((column) => role.prefers.test(column.name));
    const byType = role.optional ? undefined : usable.find((column) => role.id !== 'name' || text(column)) ?? usable[0];
    take(role, (byName ?? byType)?.name ?? '');
  }
  for (const option of view.options) {
    const value = wanted[option.id];
    chosen[option.id] = option.values.some(([known]) => known === value) ? (value as string) : (option.values[0]?.[0] ?? '');
  }
  return chosen;
}

/** Why a result cannot be drawn; empty when it can. */
export function missing(view: View, chosen: Record<string, string>): string {
  const role = view.roles.find((role) => !role.optional && !chosen[role.id]);
  if (!role) return '';
  const kind = role.accepts === any ? 'a column' : role.accepts === text ? 'a column of text' : 'a column of numbers';
  return `${view.title} needs ${kind} for “${role.label}”; the result has no further one.`;
}
