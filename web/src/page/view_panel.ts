/** The tabs of views, the choices of the chosen one, and what it draws. */

import { Chart, empty } from '../charts/chart';
import { byId, h } from '../dom';
import { counted } from '../format';
import type { Result } from '../result';
import type { Overview } from './api';
import { overviewView } from './overview_view';
import { resultTable } from './result_table';
import { CHARTS, View, choose, missing } from './views';

const TITLES: [string, string][] = [['overview', 'Overview'], ['table', 'Table'], ...CHARTS.map((view): [string, string] => [view.id, view.title])];

/** The number of views; each has a digit as its shortcut. */
export const VIEW_COUNT = TITLES.length;

export class ViewPanel {
  private view = 'overview';
  private choices: Record<string, string> = {};
  private overview: Overview | null = null;
  private result: Result | null = null;
  private chart: Chart | null = null;
  private tabs: HTMLElement[];

  /** `changed` is called when the user chooses another view or column. */
  constructor(private changed: () => void, private announce: (text: string) => void) {
    this.tabs = TITLES.map(([id, title], index) => h('button', {
      type: 'button', role: 'tab', id: `tab-${id}`, 'aria-controls': 'view', title: `Shortcut: ${index + 1}`,
      onclick: () => this.select(id),
    }, title));
    const list = byId('view-tabs');
    list.append(...this.tabs);
    list.addEventListener('keydown', (event) => this.onTabKey(event));
    this.draw();
  }

  get state(): { view: string; choices: Record<string, string> } {
    const chart = CHARTS.find((view) => view.id === this.view);
    return { view: this.view, choices: chart ? this.choices : {} };
  }

  /** Shows a state that was not chosen in the tabs: of a link or an example. */
  restore(view: string, choices: Record<string, string>): void {
    this.view = TITLES.some(([id]) => id === view) ? view : 'table';
    this.choices = { ...choices };
  }

  showOverview(overview: Overview): void {
    this.overview = overview;
    this.draw();
  }

  showResult(result: Result): void {
    this.result = result;
    this.draw();
  }

  /** Chooses a view by its position, from 0. */
  selectAt(index: number): void {
    const id = TITLES[index]?.[0];
    if (id) this.select(id);
  }

  private select(id: string): void {
    if (id !== this.view) this.choices = {};
    this.view = id;
    this.draw();
    this.changed();
  }

  private onTabKey(event: KeyboardEvent): void {
    const at = TITLES.findIndex(([id]) => id === this.view);
    const last = TITLES.length - 1;
    const next = { ArrowLeft: Math.max(at - 1, 0), ArrowRight: Math.min(at + 1, last), Home: 0, End: last }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    this.selectAt(next);
    this.tabs[next]?.focus();
  }

  private draw(): void {
    this.tabs.forEach((tab, index) => {
      const selected = TITLES[index]?.[0] === this.view;
      tab.setAttribute('aria-selected', String(selected));
      tab.tabIndex = selected ? 0 : -1;
    });
    this.chart?.close();
    this.chart = null;
    const panel = byId('view');
    panel.setAttribute('aria-labelledby', `tab-${this.view}`);
    panel.classList.toggle('table-view', this.view === 'table' && (this.result?.columns.length ?? 0) > 0);
    byId('view-controls').replaceChildren();
    panel.replaceChildren(...this.content());
  }

  private content(): HTMLElement[] {
    if (this.view === 'overview') {
      return this.overview ? [overviewView(this.overview)] : [h('p', { class: 'empty' }, 'The overview of the trace is loading.')];
    }
    const { result } = this;
    if (!result) return [h('p', { class: 'empty' }, 'No statement was run. Write one above, or choose an example, and press Ctrl+Enter.')];
    if (result.columns.length === 0) return [h('p', { class: 'empty' }, 'The statement gives no rows.')];
    if (this.view === 'table') return [resultTable(result, this.announce)];
    const view = CHARTS.find((view) => view.id === this.view);
    if (!view) return [];
    this.choices = choose(view, result.columns, this.choices);
    this.drawControls(view, result);
    this.chart = this.drawChart(view, result);
    const notice = h('p', { class: 'partial' }, `Drawn from the first ${counted(result.row_count, 'row')}; the statement has more. Choose more rows next to Run.`);
    return result.truncated ? [notice, this.chart.element] : [this.chart.element];
  }

  private drawChart(view: View, result: Result): Chart {
    if (result.rows.length === 0) return empty('The result has no rows.');
    const reason = missing(view, this.choices);
    if (reason) return empty(reason);
    const start = this.overview?.start_ts ?? null;
    const column = (role: string) => result.columns.findIndex((column) => column.name === this.choices[role]);
    const option = (id: string) => this.choices[id] ?? '';
    return view.draw(result, { column, option }, start === null ? 0n : BigInt(start));
  }

  private drawControls(view: View, result: Result): void {
    const control = (id: string, label: string, values: [string, string][]) => {
      const options = values.map(([value, title]) => h('option', { value, selected: this.choices[id] === value }, title));
      const select = h('select', {
        id: `choice-${id}`,
        onchange: (event: Event) => {
          this.choices[id] = (event.target as HTMLSelectElement).value;
          this.draw();
          this.changed();
          document.getElementById(`choice-${id}`)?.focus();
        },
      }, ...options);
      return h('label', {}, label, select);
    };
    byId('view-controls').replaceChildren(
      ...view.roles.map((role) => {
        const names = result.columns.filter(role.accepts).map(({ name }): [string, string] => [name, name]);
        return control(role.id, role.label, role.optional ? [['', '–'], ...names] : names);
      }),
      ...view.options.map((option) => control(option.id, option.label, option.values)));
  }
}
