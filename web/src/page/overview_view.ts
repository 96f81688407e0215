/** The first view: the health of the trace, its files, machines, clocks and largest tables. */

import { h } from '../dom';
import { bytes, duration, grouped } from '../format';
import { healthSection } from '../health';
import type { Overview } from './api';

/** The number of tables that are listed. */
const MOST_TABLES = 14;

/** Describes the trace. */
export function overviewView(overview: Overview): HTMLElement {
  const { traces, machines, clocks, tables, health } = overview;
  const largest = tables
    .filter(({ rows, name, doc }) => (rows ?? 0) > 0 && !name.startsWith('_') && !isOtherName(doc))
    .sort((a, b) => (b.rows ?? 0) - (a.rows ?? 0))
    .slice(0, MOST_TABLES);
  return h('div', { class: 'overview' },
    section('Health', healthSection(health)),
    h('div', { class: 'pair' },
      section('Files', table(['file', 'format', '#size'], traces.map((file) => [file.name, file.format, bytes(file.bytes)]))),
      section('Machines', table(['machine', 'system', '#CPUs'], machines.map((machine) => [machine.name, machine.system, machine.cpus === null ? '–' : String(machine.cpus)])))),
    h('div', { class: 'pair' },
      section('Clocks', clocks.length === 0
        ? h('p', { class: 'dim' }, 'The trace has no clock snapshots.')
        : table(['clock', 'machine', '#snapshots', 'use'], clocks.map((clock) => [clock.name, clock.machine, grouped(clock.snapshots), clock.is_trace_time ? 'trace time' : '']))),
      section('Largest tables', table(['table', '#rows', 'a row is'], largest.map(({ name, rows, doc }) => [name, grouped(rows ?? 0), firstSentence(doc)])))));
}

/** The length of the trace and the size of its files. */
export function facts({ traces, start_ts, end_ts }: Overview): string {
  const size = bytes(traces.reduce((sum, file) => sum + file.bytes, 0));
  if (start_ts === null || end_ts === null) return size;
  return `${duration(Number(BigInt(end_ts) - BigInt(start_ts)))}, ${size}`;
}

function section(title: string, content: HTMLElement): HTMLElement {
  return h('section', { 'aria-label': title }, h('h2', {}, title), content);
}

/** A table; columns of numbers have names that begin with `#`. */
function table(names: string[], rows: string[][]): HTMLElement {
  const isNumber = names.map((name) => name.startsWith('#'));
  const head = names.map((name, index) => h('th', { scope: 'col', class: isNumber[index] && 'number' }, name.replace('#', '')));
  const body = rows.map((cells) => h('tr', {}, ...cells.map((cell, index) =>
    h(index === 0 ? 'th' : 'td', { scope: index === 0 && 'row', class: isNumber[index] && 'number' }, cell))));
  return h('table', { class: 'plain' }, h('thead', {}, h('tr', {}, ...head)), h('tbody', {}, ...body));
}

/** Whether a view is only another name of a table. */
function isOtherName(doc: string): boolean {
  return /^(Alias of|Old name of)\b/.test(doc);
}

function firstSentence(doc: string): string {
  const end = doc.search(/[.:;](\s|$)/);
  return end < 0 ? doc : doc.slice(0, end);
}
