/** The data of a report, as `tpq report` writes it. */

import type { FlameNode } from '../charts/flame_tree';
import type { Health } from '../health';
import type { Cell, Rows } from '../result';

/** Rows, or the reason why the trace has none. */
export type Section<T = Rows> = T | { missing: string };

export interface CounterSeries {
  name: string;
  unit: string | null;
  /** The thread, process or other owner; empty for a counter of the whole trace. */
  owner: string;
  values: number;
  /** The time in ns since the start of the trace, and the value. */
  points: [number, number][];
}

export interface TraceReport {
  name: string;
  facts: [string, string][];
  /** The length in ns. */
  duration: number;
  start_ts: Cell;
  health: Health;
  threads: Section;
  run_queue: Section;
  longest_slices: Section;
  /** Of threads, or of all tracks where no thread has slices. */
  flame_graph: Section<{ of: 'threads' | 'tracks'; tree: FlameNode }>;
  counters: Section<{ series: CounterSeries[] }>;
}

export interface ReportData {
  version: string;
  /** One trace, or two: the baseline first. */
  traces: TraceReport[];
}

/** The reason why a section is empty. */
export function missingReason(section: object): string | null {
  return 'missing' in section ? String(section.missing) : null;
}
