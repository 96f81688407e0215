/** The rows of a result. Only the rows in sight are in the document. */

import { h } from '../dom';
import { counted, duration, grouped, unitOf } from '../format';
import { Cell, Result, compare, isNumeric, toText } from '../result';
import { toCsv } from './csv';

const ROW_HEIGHT = 21;
/** Rows that are drawn above and below those in sight. */
const MARGIN = 20;
/** Widths of columns, in characters. */
const NARROWEST = 6;
const WIDEST = 60;
/** The rows by which widths are chosen. */
const SAMPLE = 300;

interface Order { column: number; descending: boolean }

/** Shows a result as a table. */
export function resultTable(result: Result, announce: (text: string) => void): HTMLElement {
  return new ResultTable(result, announce).element;
}

class ResultTable {
  readonly element: HTMLElement;
  private body = h('tbody');
  private head = h('tr');
  private scroll: HTMLElement;
  private rows: Cell[][];
  private order: Order | null = null;
  private drawn = '';
  private numeric: boolean[];
  private isDuration: boolean[];

  constructor(private result: Result, private announce: (text: string) => void) {
    this.rows = result.rows;
    this.numeric = result.columns.map(isNumeric);
    this.isDuration = result.columns.map(({ name }) => unitOf(name) === 'ns');
    const widths = this.widths();
    const columns = [h('col', { style: `width:${String(result.rows.length).length + 3}ch` }), ...widths.map((width) => h('col', { style: `width:${width}ch` }))];
    const total = widths.reduce((sum, width) => sum + width, String(result.rows.length).length + 3);
    const table = h('table', {
      'aria-label': 'Rows of the result', 'aria-rowcount': result.rows.length + 1, style: `width:${total}ch`,
    }, h('colgroup', {}, ...columns), h('thead', {}, this.head), this.body);
    this.scroll = h('div', { class: 'result-scroll', tabindex: 0, role: 'region', 'aria-label': 'Rows of the result' }, table);
    this.scroll.addEventListener('scroll', () => this.draw());
    this.element = h('div', { class: 'result-table' }, this.scroll, this.foot());
    new ResizeObserver(() => this.draw()).observe(this.scroll);
    this.drawHead();
    this.draw();
  }

  private widths(): number[] {
    return this.result.columns.map(({ name }, column) => {
      let width = name.length + 3;
      for (const row of this.result.rows.slice(0, SAMPLE)) width = Math.max(width, toText(row[column]).length + 3);
      return Math.min(Math.max(width, NARROWEST), WIDEST);
    });
  }

  private drawHead(): void {
    const cells = this.result.columns.map(({ name, type }, column) => {
      const sorted = this.order?.column === column;
      const state = !sorted ? 'none' : this.order?.descending ? 'descending' : 'ascending';
      const arrow = !sorted ? '' : this.order?.descending ? '▼' : '▲';
      const button = h('button', { type: 'button', title: `${name}: ${type}. Sorts these rows.`, onclick: () => this.sort(column) },
        h('span', {}, name), arrow && h('span', { class: 'arrow', 'aria-hidden': 'true' }, arrow));
      return h('th', { scope: 'col', class: this.numeric[column] && 'number', 'aria-sort': state }, button);
    });
    const focused = [...this.head.children].findIndex((cell) => cell.contains(document.activeElement));
    this.head.replaceChildren(h('th', { scope: 'col', class: 'row-number', title: 'Row' }, '#'), ...cells);
    if (focused > 0) this.head.children[focused]?.querySelector('button')?.focus();
  }

  /** Ascending, then descending, then as the statement gives them. */
  private sort(column: number): void {
    const again = this.order?.column === column;
    this.order = again && this.order?.descending ? null : { column, descending: again };
    const { order } = this;
    const numeric = this.numeric[column] ?? false;
    const sign = order?.descending ? -1 : 1;
    this.rows = order
      ? [...this.result.rows].sort((a, b) => sign * compare(a[column], b[column], numeric))
      : this.result.rows;
    this.drawHead();
    this.draw(true);
    const name = this.result.columns[column]?.name ?? '';
    this.announce(order ? `sorted by ${name}, ${order.descending ? 'descending' : 'ascending'}` : 'rows in the order of the statement');
  }

  private draw(force = false): void {
    const { scrollTop, clientHeight } = this.scroll;
    const first = Math.max(Math.floor(scrollTop / ROW_HEIGHT) - MARGIN, 0);
    const last = Math.min(Math.ceil((scrollTop + Math.max(clientHeight, 200)) / ROW_HEIGHT) + MARGIN, this.rows.length);
    const range = `${first}-${last}`;
    if (range === this.drawn && !force) return;
    this.drawn = range;
    const rows: HTMLElement[] = [];
    for (let index = first; index < last; index++) rows.push(this.row(index));
    this.body.replaceChildren(spacer(first), ...rows, spacer(this.rows.length - last));
  }

  private row(index: number): HTMLElement {
    const cells = (this.rows[index] ?? []).map((cell, column) => {
      if (cell === null) return h('td', { class: this.numeric[column] ? 'null number' : 'null' }, 'NULL');
      const text = String(cell);
      return h('td', { class: this.numeric[column] && 'number', title: this.hint(text, column) }, text);
    });
    return h('tr', { 'aria-rowindex': index + 2 }, h('td', { class: 'row-number' }, grouped(index + 1)), ...cells);
  }

  /** What a cell says when the pointer rests on it: a long text, or a duration in its unit. */
  private hint(text: string, column: number): string | false {
    if (this.numeric[column]) return this.isDuration[column] ? duration(Number(text)) : false;
    return text.length > WIDEST - 6 && text;
  }

  private foot(): HTMLElement {
    const { result } = this;
    const more = result.truncated ? `the first ${counted(result.row_count, 'row')}; there are more` : counted(result.row_count, 'row');
    return h('div', { class: 'result-foot' }, h('span', {}, more), h('span', { class: 'space' }),
      h('button', { type: 'button', onclick: () => this.copy() }, 'Copy as CSV'),
      h('button', { type: 'button', onclick: () => this.save() }, 'Save as CSV'));
  }

  private copy(): void {
    const done = () => this.announce(`copied ${counted(this.rows.length, 'row')}`);
    navigator.clipboard.writeText(toCsv(this.result.columns, this.rows)).then(done, () => this.announce('the browser did not allow copying'));
  }

  private save(): void {
    const link = h('a', { download: 'result.csv', href: URL.createObjectURL(new Blob([toCsv(this.result.columns, this.rows)], { type: 'text/csv' })) });
    link.click();
    // The browser reads it after this call.
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  }
}

function spacer(rows: number): HTMLElement {
  return h('tr', { class: 'spacer', 'aria-hidden': 'true', style: `height:${rows * ROW_HEIGHT}px` });
}
