/** A small text next to the pointer. */

import { h } from '../dom';

const element = h('div', { class: 'tooltip', role: 'presentation', hidden: true });

/** Shows lines next to a point of the window; the first is the title. */
export function showTooltip(x: number, y: number, lines: string[]): void {
  if (!element.isConnected) document.body.append(element);
  element.replaceChildren(...lines.map((line, index) => h(index === 0 ? 'strong' : 'span', {}, line)));
  element.hidden = false;
  const { offsetWidth, offsetHeight } = element;
  const left = Math.min(x + 12, window.innerWidth - offsetWidth - 4);
  const below = y + 16 + offsetHeight < window.innerHeight;
  element.style.left = `${Math.max(left, 4)}px`;
  element.style.top = `${below ? y + 16 : Math.max(y - offsetHeight - 8, 4)}px`;
}

/** Hides it. */
export function hideTooltip(): void {
  element.hidden = true;
}
