/** The page that the server has at `/`. */

import '../theme.css';
import '../charts/charts.css';
import './page.css';
import { byId, h } from '../dom';
import { compact, counted, duration } from '../format';
import { badge } from '../health';
import type { QueryError, Result } from '../result';
import { Overview, overview, query } from './api';
import { showCatalog } from './catalog';
import { Editor } from './editor';
import { EXAMPLES, Example } from './examples';
import { LIMITS, formatLink, onlyReads, parseLink } from './link_state';
import { facts } from './overview_view';
import { perfettoAddress, perfettoHint } from './perfetto_link';
import { listen } from './shortcuts';
import { VIEW_COUNT, ViewPanel } from './view_panel';

class Page {
  private editor = new Editor(byId('editor'), () => void this.run());
  private panel = new ViewPanel(() => this.updateLink('replace'), (text) => this.say(text));
  private limit = byId<HTMLSelectElement>('limit');
  private button = byId<HTMLButtonElement>('run');
  /** The statement of the result that is shown; the link has it. */
  private shown = '';
  private running: AbortController | null = null;

  start(): void {
    this.limit.append(...LIMITS.map((limit) => h('option', { value: limit }, compact(limit).replace(' ', ''))));
    this.button.addEventListener('click', () => (this.running ? this.running.abort() : void this.run()));
    byId('copy-link').addEventListener('click', () => this.copyLink());
    byId('skip').addEventListener('click', (event) => { event.preventDefault(); byId('results').focus(); });
    const link = byId<HTMLAnchorElement>('perfetto');
    link.href = perfettoAddress(location.port);
    link.title = perfettoHint(location.port);
    this.listExamples();
    this.listenForKeys();
    window.addEventListener('popstate', () => this.openLink());
    this.openLink();
    void this.loadOverview();
  }

  private async loadOverview(): Promise<void> {
    try {
      this.describe(await overview());
    } catch (error) {
      this.fail({ message: `The overview of the trace cannot be read: ${(error as Error).message}` });
    }
  }

  private describe(found: Overview): void {
    const [first] = found.traces;
    const more = found.traces.length > 1 ? ` and ${counted(found.traces.length - 1, 'more file')}` : '';
    const name = first ? `${first.name}${more}` : 'no trace';
    document.title = `${name} – tpq`;
    byId('trace-name').textContent = name;
    byId('trace-facts').textContent = facts(found);
    const health = byId('health-badge');
    health.replaceChildren(badge(found.health));
    health.title = 'Show what was lost';
    health.hidden = false;
    health.addEventListener('click', () => this.panel.selectAt(0));
    this.editor.completeFrom(found);
    this.panel.showOverview(found);
    showCatalog(found, {
      insert: (text) => this.editor.insert(text),
      show: (table) => this.runText(`SELECT * FROM ${table} LIMIT 1000`, 'table'),
    });
    const has = new Set(found.tables.filter((table) => table.rows !== 0).map((table) => table.name));
    byId('examples').querySelectorAll('option').forEach((option) => {
      const example = EXAMPLES[Number(option.value)];
      option.disabled = option.value === '' || (example !== undefined && !has.has(example.table));
    });
  }

  /** Runs the selected text, or all of it. */
  private async run(): Promise<void> {
    const sql = this.editor.statement.trim();
    if (sql === '') return this.say('there is no statement to run');
    this.running?.abort();
    const running = new AbortController();
    this.running = running;
    this.button.textContent = 'Stop';
    this.say('running…');
    this.clearError();
    if (this.panel.state.view === 'overview') this.panel.restore('table', {});
    const changed = sql !== this.shown;
    this.shown = sql;
    this.updateLink(changed ? 'push' : 'replace');
    try {
      const result = await query(sql, Number(this.limit.value), running.signal);
      if (this.running === running) this.show(result);
    } catch (error) {
      if (running.signal.aborted) this.say('stopped');
      else this.fail({ message: `The server did not answer: ${(error as Error).message}` });
    } finally {
      if (this.running === running) {
        this.running = null;
        this.button.textContent = 'Run';
      }
    }
  }

  private show(result: Result): void {
    if (result.error) return this.fail(result.error);
    this.panel.showResult(result);
    this.updateLink('replace');
    const rows = result.truncated ? `first ${counted(result.row_count, 'row')}` : counted(result.row_count, 'row');
    this.say(`${rows} in ${duration(Math.max(result.elapsed_ms, 0.001) * 1e6)}`);
  }

  private fail(error: QueryError): void {
    this.editor.mark(error);
    const lines = [h('strong', {}, error.message)];
    const place = error.line && error.column ? `line ${error.line}, column ${error.column}` : '';
    const text = error.line ? (this.shown.split('\n')[error.line - 1] ?? '') : '';
    if (place) lines.push(h('pre', {}, `${place}:\n${text}\n${' '.repeat((error.column ?? 1) - 1)}${'^'.repeat(error.width ?? 1)}`));
    if (error.hint) lines.push(h('p', { class: 'hint' }, error.hint));
    const box = byId('error');
    box.replaceChildren(...lines);
    box.hidden = false;
    this.say('error');
  }

  private clearError(): void {
    byId('error').hidden = true;
    this.editor.mark(null);
  }

  private runText(sql: string, view: string, example?: Example): void {
    this.editor.text = sql;
    if (example?.limit) this.limit.value = String(example.limit);
    this.panel.restore(view, example?.choices ?? {});
    void this.run();
  }

  /** Shows what the link states. */
  private openLink(): void {
    const state = parseLink(location.hash);
    this.limit.value = String(state.limit);
    if (state.sql === '' ) {
      if (this.shown === '') this.editor.focus();
      return;
    }
    this.editor.text = state.sql;
    this.panel.restore(state.view, state.choices);
    if (onlyReads(state.sql)) {
      this.shown = state.sql;
      void this.run();
    } else {
      this.say('press Ctrl+Enter to run the statement of this link');
      this.editor.focus();
    }
  }

  private updateLink(how: 'push' | 'replace'): void {
    const link = formatLink({ sql: this.shown, limit: Number(this.limit.value), ...this.panel.state });
    if (link === location.hash) return;
    if (how === 'push') history.pushState(null, '', link);
    else history.replaceState(null, '', link);
  }

  private copyLink(): void {
    this.updateLink('replace');
    navigator.clipboard.writeText(location.href)
      .then(() => this.say('copied the link'), () => this.say('the browser did not allow copying; the link is in the address bar'));
  }

  private listExamples(): void {
    const select = byId<HTMLSelectElement>('examples');
    select.append(h('option', { value: '' }, 'Choose…'), ...EXAMPLES.map((example, index) => h('option', { value: index }, example.title)));
    select.addEventListener('change', () => {
      const example = EXAMPLES[Number(select.value)];
      if (select.value !== '' && example) this.runText(example.sql, example.view, example);
      select.value = '';
    });
  }

  private listenForKeys(): void {
    const focus = (id: string) => () => byId(id).focus();
    listen([
      { keys: 'Ctrl+Enter', meaning: 'Run the statement, or the selected part', key: null },
      { keys: 'Ctrl+Space', meaning: 'Complete the word at the cursor', key: null },
      { keys: 'Escape', meaning: 'Leave the editor', key: null },
      { keys: 'e', meaning: 'Go to the editor', key: 'e', run: () => this.editor.focus() },
      { keys: '/', meaning: 'Filter the tables', key: '/', run: focus('catalog-filter') },
      { keys: 'x', meaning: 'Choose an example', key: 'x', run: focus('examples') },
      { keys: 'r', meaning: 'Go to the result', key: 'r', run: focus('view') },
      ...Array.from({ length: VIEW_COUNT }, (_, index) => ({
        keys: String(index + 1), key: String(index + 1), run: () => this.panel.selectAt(index),
        meaning: `View: ${byId('view-tabs').children[index]?.textContent ?? ''}`,
      })),
      { keys: '← → + - 0', meaning: 'In a time series: move, scale, show all', key: null },
      { keys: '← → ↑ ↓ Enter Home', meaning: 'In a flame graph: move, show a block at full width, show all', key: null },
    ]);
  }

  /** Writes to the line that screen readers read out. */
  private say(text: string): void {
    byId('status').textContent = text;
  }
}

new Page().start();
