/** Keyboard shortcuts, and the list of them. */

import { byId, h } from '../dom';

export interface Shortcut {
  /** As shown in the list. */
  keys: string;
  meaning: string;
  /** The key that calls `run` outside of text; `null` if the editor or a chart handles it. */
  key: string | null;
  run?: () => void;
}

/** Listens for shortcuts and fills the list. */
export function listen(shortcuts: Shortcut[]): void {
  const dialog = byId<HTMLDialogElement>('shortcuts');
  const all: Shortcut[] = [...shortcuts, { keys: '?', meaning: 'Show this list', key: '?', run: () => dialog.showModal() }];
  byId('shortcut-list').replaceChildren(...all.flatMap(({ keys, meaning }) => [
    h('dt', {}, ...keys.split(' ').flatMap((key) => [h('kbd', {}, key), ' '])), h('dd', {}, meaning),
  ]));
  byId('show-shortcuts').addEventListener('click', () => dialog.showModal());
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isText(event.target) || dialog.open) return;
    const found = all.find(({ key }) => key === event.key);
    if (!found?.run) return;
    event.preventDefault();
    found.run();
  });
}

/** Whether keys write text there, or mean something to the element itself. */
function isText(target: EventTarget | null): boolean {
  const element = target as HTMLElement | null;
  return element?.closest('input, textarea, select, [contenteditable="true"]') !== null;
}
