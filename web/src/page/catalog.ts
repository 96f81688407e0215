/** The list of tables, with their columns and documentation. */

import { byId, h } from '../dom';
import { compact } from '../format';
import type { Overview, Relation } from './api';

export interface CatalogActions {
  /** Writes a name at the cursor of the editor. */
  insert(text: string): void;
  /** Shows rows of a table. */
  show(name: string): void;
}

/** Fills the list; its filter finds names of tables and of columns. */
export function showCatalog({ tables, modules }: Overview, actions: CatalogActions): void {
  const filled = tables.filter((relation) => !isInternal(relation) && relation.rows !== 0);
  const empty = tables.filter((relation) => !isInternal(relation) && relation.rows === 0);
  const internal = tables.filter(isInternal);
  const list = byId('catalog-list');
  const filter = byId<HTMLInputElement>('catalog-filter');
  const draw = () => {
    const wanted = filter.value.trim().toLowerCase();
    const items = (relations: Relation[]) =>
      relations.filter((relation) => matches(relation, wanted)).map((relation) => item(relation, wanted, actions));
    list.replaceChildren(
      ...items(filled),
      ...group('Without rows', items(empty), wanted !== ''),
      ...group('Internal', items(internal), wanted !== ''),
      ...group('Modules', modules.filter((name) => name.includes(wanted)).map((name) => moduleItem(name, actions)), false),
    );
    if (list.childElementCount === 0) list.append(h('p', { class: 'empty', style: 'padding:12px' }, 'No table has this name.'));
  };
  filter.addEventListener('input', draw);
  draw();
}

const isInternal = ({ name }: Relation) => name.startsWith('_');

function matches({ name, columns }: Relation, wanted: string): boolean {
  return wanted === '' || name.toLowerCase().includes(wanted) || columns.some((column) => column.name.toLowerCase().includes(wanted));
}

function group(title: string, items: HTMLElement[], open: boolean): HTMLElement[] {
  if (items.length === 0) return [];
  const summary = h('summary', {}, h('span', { class: 'name' }, title), h('span', { class: 'count' }, items.length));
  return [h('details', { class: 'group', open }, summary, ...items)];
}

function item(relation: Relation, wanted: string, actions: CatalogActions): HTMLElement {
  const { name, kind, rows, doc } = relation;
  const count = rows === null ? kind : compact(rows);
  const details = h('details', { class: rows === 0 ? 'relation is-empty' : 'relation' },
    h('summary', { title: doc }, h('span', { class: 'name' }, name), h('span', { class: 'count' }, count)));
  // The columns are created when they are first shown: all tables have a thousand.
  details.addEventListener('toggle', () => {
    if (details.open && details.childElementCount === 1) details.append(body(relation, actions));
  });
  const inColumns = wanted !== '' && !name.toLowerCase().includes(wanted);
  if (inColumns) details.open = true;
  return details;
}

function body({ name, doc, columns }: Relation, actions: CatalogActions): HTMLElement {
  const column = (column: Relation['columns'][number]) => h('li', {},
    h('span', { class: 'type' }, column.type),
    h('button', { type: 'button', class: 'column', title: 'Write this name in the editor', onclick: () => actions.insert(column.name) }, column.name),
    column.doc && h('span', { class: 'doc' }, column.doc));
  return h('div', { class: 'relation-body' },
    doc && h('p', {}, doc),
    h('div', { class: 'actions' },
      h('button', { type: 'button', class: 'link', onclick: () => actions.show(name) }, 'Show rows'),
      h('button', { type: 'button', class: 'link', onclick: () => actions.insert(name) }, 'Insert name')),
    h('ul', {}, ...columns.map(column)));
}

function moduleItem(name: string, actions: CatalogActions): HTMLElement {
  const insert = () => actions.insert(`INCLUDE PERFETTO MODULE ${name};\n`);
  return h('div', { style: 'padding:1px 12px 1px 24px' },
    h('button', { type: 'button', class: 'link', title: 'Write the statement that includes it', onclick: insert }, name));
}
