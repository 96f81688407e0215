/** The SQL editor. */

import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { SQLDialect, SQLite, sql } from '@codemirror/lang-sql';
import { HighlightStyle, bracketMatching, syntaxHighlighting } from '@codemirror/language';
import { setDiagnostics } from '@codemirror/lint';
import { Compartment, EditorState, Prec } from '@codemirror/state';
import { EditorView, drawSelection, highlightActiveLine, keymap, lineNumbers, placeholder } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import type { QueryError } from '../result';
import type { Overview } from './api';
import { completionSource } from './completion';

const DIALECT = SQLDialect.define({
  ...SQLite.spec,
  keywords: `${SQLite.spec.keywords} perfetto macro returns include module summarize describe exclude`,
});

const THEME = EditorView.theme({
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.5' },
  '.cm-content': { caretColor: 'var(--text)', padding: '8px 0' },
  '.cm-gutters': { background: 'var(--background)', color: 'var(--dim)', border: '0', paddingLeft: '4px' },
  '.cm-activeLine': { background: 'color-mix(in srgb, var(--panel) 60%, transparent)' },
  '.cm-activeLineGutter': { background: 'none' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    background: 'var(--accent-soft)',
  },
  '&.cm-focused .cm-matchingBracket': { background: 'var(--accent-soft)' },
  '.cm-placeholder': { color: 'var(--dim)' },
  '.cm-tooltip': { background: 'var(--raised)', border: '1px solid var(--line)', borderRadius: '5px', boxShadow: 'var(--shadow)' },
  '.cm-tooltip-autocomplete > ul': { fontFamily: 'var(--mono)', fontSize: '12px', maxHeight: '15em' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': { background: 'var(--accent)', color: 'var(--on-accent)' },
  '.cm-tooltip-autocomplete ul li[aria-selected] .cm-completionDetail': { color: 'inherit' },
  '.cm-completionDetail': { color: 'var(--dim)', fontStyle: 'normal', marginLeft: '1.2em' },
  '.cm-completionInfo': { maxWidth: '340px', fontSize: '12px', lineHeight: '1.4', padding: '6px 10px' },
  '.cm-completionIcon': { opacity: '0.7' },
  '.cm-diagnostic-error': { borderLeftColor: 'var(--bad)' },
});

const COLOURS = HighlightStyle.define([
  { tag: tags.keyword, color: 'var(--keyword)', fontWeight: '600' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--string)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--number)' },
  { tag: tags.comment, color: 'var(--dim)', fontStyle: 'italic' },
  { tag: tags.typeName, color: 'var(--accent)' },
]);

/** The editor; `run` is called by Ctrl+Enter. */
export class Editor {
  private completion = new Compartment();
  private view: EditorView;

  constructor(parent: HTMLElement, run: () => void) {
    const execute = () => (run(), true);
    // Tab keeps its meaning, so that the editor can be left by it; so does Escape.
    const leave = () => (this.view.contentDOM.blur(), parent.parentElement?.querySelector<HTMLElement>('#run')?.focus(), true);
    this.view = new EditorView({
      parent,
      state: EditorState.create({
        extensions: [
          Prec.highest(keymap.of([{ key: 'Mod-Enter', run: execute }, { key: 'Shift-Enter', run: execute }])),
          keymap.of([...closeBracketsKeymap, ...completionKeymap, ...historyKeymap, ...defaultKeymap, { key: 'Escape', run: leave }]),
          lineNumbers(), history(), drawSelection(), bracketMatching(), closeBrackets(), highlightActiveLine(),
          this.completion.of(autocompletion()),
          sql({ dialect: DIALECT }),
          syntaxHighlighting(COLOURS),
          placeholder('SELECT … and Ctrl+Enter'),
          EditorView.lineWrapping,
          EditorView.contentAttributes.of({ 'aria-label': 'SQL statement; Ctrl+Enter runs it, Escape leaves the editor' }),
          THEME,
        ],
      }),
    });
  }

  /** Completes from what the trace has. */
  completeFrom(overview: Overview): void {
    const extension = autocompletion({ override: [completionSource(overview)], icons: true, maxRenderedOptions: 200 });
    this.view.dispatch({ effects: this.completion.reconfigure(extension) });
  }

  get text(): string {
    return this.view.state.doc.toString();
  }

  set text(text: string) {
    this.view.dispatch({
      changes: { from: 0, to: this.view.state.doc.length, insert: text },
      selection: { anchor: text.length },
    });
  }

  /** The selected text, or all of it. */
  get statement(): string {
    const { from, to } = this.view.state.selection.main;
    const selected = this.view.state.sliceDoc(from, to);
    return selected.trim() === '' ? this.text : selected;
  }

  /** Writes a text at the cursor. */
  insert(text: string): void {
    this.view.dispatch(this.view.state.replaceSelection(text));
    this.focus();
  }

  focus(): void {
    this.view.focus();
  }

  /** Underlines an error; `null` removes the underline. */
  mark(error: QueryError | null): void {
    const { doc } = this.view.state;
    if (!error?.line || !error.column || error.line > doc.lines) {
      this.view.dispatch(setDiagnostics(this.view.state, []));
      return;
    }
    const line = doc.line(error.line);
    const from = Math.min(line.from + error.column - 1, line.to);
    const to = Math.min(Math.max(from + (error.width ?? 1), from + 1), doc.length);
    const message = error.hint ? `${error.message}\n${error.hint}` : error.message;
    this.view.dispatch(setDiagnostics(this.view.state, [{ from: Math.min(from, to), to, severity: 'error', message }]));
  }
}
