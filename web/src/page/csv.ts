/** Rows as CSV, quoted as RFC 4180 says. */

import { Cell, Column, toText } from '../result';

/** A header line and one line for each row. */
export function toCsv(columns: Column[], rows: Cell[][]): string {
  const line = (cells: string[]) => `${cells.map(quoted).join(',')}\r\n`;
  return line(columns.map((column) => column.name)) + rows.map((row) => line(row.map(toText))).join('');
}

function quoted(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
