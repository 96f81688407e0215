/** The rows of a query, as the server and the report state them. */

/** A value; integers beyond 2^53 are text, and so are blobs, in hexadecimal digits. */
export type Cell = string | number | null;

export interface Column {
  name: string;
  /** The SQL type: INTEGER, DOUBLE, TEXT, BLOB, or another. */
  type: string;
}

export interface Rows {
  columns: Column[];
  rows: Cell[][];
}

export interface QueryError {
  message: string;
  hint?: string;
  /** Where in the text, counted from 1. */
  line?: number;
  column?: number;
  width?: number;
}

export interface Result extends Rows {
  row_count: number;
  /** Whether the statement has more rows than these. */
  truncated: boolean;
  elapsed_ms: number;
  error?: QueryError;
}

/** Whether the values of a column are numbers. */
export function isNumeric(column: Column): boolean {
  return column.type === 'INTEGER' || column.type === 'DOUBLE';
}

/** A value as a number; NaN when it is none. */
export function toNumber(cell: Cell | undefined): number {
  if (typeof cell === 'number') return cell;
  return cell === null || cell === undefined || cell === '' ? NaN : Number(cell);
}

/** A value as text; NULL is empty. */
export function toText(cell: Cell | undefined): string {
  return cell === null || cell === undefined ? '' : String(cell);
}

/** The numbers of a column. */
export function numbers(rows: Cell[][], column: number): number[] {
  return rows.map((row) => toNumber(row[column]));
}

/**
 * The timestamps of a column, in ns since `start`. Timestamps of wall time exceed what a double
 * holds exactly; their differences do not.
 */
export function timesSince(rows: Cell[][], column: number, start: bigint): number[] {
  return rows.map((row) => {
    const cell = row[column];
    if (cell === null || cell === undefined) return NaN;
    if (typeof cell === 'number' && !Number.isInteger(cell)) return cell - Number(start);
    try {
      return Number(BigInt(cell) - start);
    } catch {
      return NaN;
    }
  });
}

/** Compares two values of one column: NULL first, numbers by value, text by its characters. */
export function compare(a: Cell | undefined, b: Cell | undefined, numeric: boolean): number {
  if (a === b) return 0;
  if (a === null || a === undefined) return -1;
  if (b === null || b === undefined) return 1;
  if (!numeric) return String(a) < String(b) ? -1 : 1;
  const difference = toNumber(a) - toNumber(b);
  if (difference !== 0 || typeof a === typeof b && typeof a === 'number') return difference;
  return BigInt(a) < BigInt(b) ? -1 : BigInt(a) > BigInt(b) ? 1 : 0;
}
