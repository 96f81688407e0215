/** The two endpoints of the server. */

import type { Health } from '../health';
import type { Cell, Result } from '../result';

export interface TraceFile {
  name: string;
  format: string;
  bytes: number;
}

export interface Machine {
  id: number;
  name: string;
  system: string;
  cpus: number | null;
}

export interface Clock {
  name: string;
  machine: string;
  snapshots: number;
  /** Whether it is the clock of all timestamps in the tables. */
  is_trace_time: boolean;
}

export interface ColumnInfo {
  name: string;
  type: string;
  doc: string;
}

export interface Relation {
  name: string;
  kind: 'table' | 'view';
  /** The number of rows; `null` if it is unknown. */
  rows: number | null;
  doc: string;
  columns: ColumnInfo[];
}

export interface FunctionInfo {
  name: string;
  kind: 'scalar' | 'aggregate' | 'window' | 'table';
  arguments: string | null;
}

export interface Overview {
  version: string;
  traces: TraceFile[];
  /** The bounds of the trace in ns of trace time. */
  start_ts: Cell;
  end_ts: Cell;
  health: Health;
  machines: Machine[];
  clocks: Clock[];
  tables: Relation[];
  functions: FunctionInfo[];
  modules: string[];
}

/** What is in the trace. */
export async function overview(): Promise<Overview> {
  const response = await fetch(`api/overview${window.location.search}`);
  if (!response.ok) throw new Error(await reason(response));
  return (await response.json()) as Overview;
}

/** Runs statements; an error of SQL is part of the result. */
export async function query(sql: string, limit: number, signal: AbortSignal): Promise<Result> {
  const response = await fetch(`api/query${window.location.search}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ sql, limit }),
    signal,
  });
  const text = await response.text();
  try {
    return JSON.parse(text) as Result;
  } catch {
    throw new Error(response.ok ? 'the answer of the server is not complete' : text || response.statusText);
  }
}

async function reason(response: Response): Promise<string> {
  return (await response.text()) || `${response.status} ${response.statusText}`;
}
