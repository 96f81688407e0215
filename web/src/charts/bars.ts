/** Bars: one value for each name, in a table with the bars in its cells. */

import { h } from '../dom';
import { Unit, counted, inUnit, share } from '../format';
import { Chart, empty } from './chart';

export interface Bar {
  name: string;
  /** A second name, such as the process of a thread. */
  of?: string;
  value: number;
  /** The value in the second trace, when two are compared; NaN when it has none. */
  against?: number;
}

export interface BarsData {
  /** What the names and the values are. */
  title: string;
  valueName: string;
  unit: Unit;
  bars: Bar[];
  /** The names of the two traces, when they are compared. */
  traces?: [string, string];
  /** The number of bars to draw. */
  most?: number;
}

const MOST_BARS = 100;

/** Draws bars, in the order given. */
export function bars({ title, valueName, unit, bars, traces, most = MOST_BARS }: BarsData): Chart {
  const usable = bars.filter((bar) => Number.isFinite(bar.value) || Number.isFinite(bar.against));
  if (usable.length === 0) return empty(`${valueName} has no values.`);
  const shown = usable.slice(0, most);
  const summary = describe(title, valueName, unit, usable, shown.length);
  const largest = Math.max(...shown.flatMap((bar) => [Math.abs(bar.value || 0), Math.abs(bar.against || 0)])) || 1;
  const total = usable.reduce((sum, bar) => sum + (bar.value || 0), 0);
  const head = traces
    ? [valueName, traces[0], traces[1], 'change']
    : [valueName, 'value', 'share'];
  const table = h('table', { class: traces ? 'bars compared' : 'bars' },
    h('caption', {}, summary),
    h('thead', {}, h('tr', {}, h('th', { scope: 'col' }, title),
      ...head.map((name, index) => h('th', { scope: 'col', class: index > 0 && 'number', title: name }, name)))),
    h('tbody', {}, ...shown.map((bar) => row(bar, largest, total, unit, traces !== undefined))));
  return { element: h('div', { class: 'chart' }, table), summary, close: () => {} };
}

function describe(title: string, valueName: string, unit: Unit, bars: Bar[], shown: number): string {
  const size = ({ value, against }: Bar) => Math.max(value || 0, against || 0);
  const top = bars.reduce((best, bar) => (size(bar) > size(best) ? bar : best));
  const rest = shown < bars.length ? ` The first ${shown} of ${counted(bars.length, 'row')} are shown.` : '';
  return `${valueName} by ${title}; the largest is ${top.name || '(no name)'} with ${inUnit(size(top), unit)}.${rest}`;
}

function row(bar: Bar, largest: number, total: number, unit: Unit, compared: boolean): HTMLElement {
  const text = (value: number | undefined) => (Number.isFinite(value) ? inUnit(value as number, unit) : '–');
  const fill = (kind: string, value: number | undefined) => {
    const percent = ((100 * Math.abs(value || 0)) / largest).toFixed(2);
    return h('span', { class: kind, style: Number.isFinite(value) ? `width:${percent}%` : 'visibility:hidden' });
  };
  const cell = h('td', { class: 'bar-cell', 'aria-hidden': 'true' },
    fill('bar-fill', bar.value), compared && fill('bar-fill other', bar.against));
  const label = [bar.name || '(no name)', bar.of ? h('span', { class: 'dim' }, ` ${bar.of}`) : ''];
  const name = h('th', { scope: 'row', title: bar.of ? `${bar.name}, ${bar.of}` : bar.name }, ...label);
  if (compared) {
    return h('tr', {}, name, cell, number(text(bar.value)), number(text(bar.against)), change(bar));
  }
  return h('tr', {}, name, cell, number(text(bar.value)), number(share(bar.value, total)));
}

const number = (text: string) => h('td', { class: 'number' }, text);

/** By how much the second value differs from the first, which is the baseline. */
function change({ value, against }: Bar): HTMLElement {
  if (against === undefined || !Number.isFinite(against)) return number('gone');
  if (!Number.isFinite(value)) return number('new');
  if (value === 0) return number(against === 0 ? '0 %' : 'new');
  const percent = (100 * (against - value)) / value;
  return number(`${percent > 0 ? '+' : ''}${Math.abs(percent) >= 10 ? percent.toFixed(0) : percent.toFixed(1)} %`);
}
