/** What all charts share: a figure with a drawing and a caption that states what it shows. */

import { h } from '../dom';

/** A chart on the page. */
export interface Chart {
  element: HTMLElement;
  /** One sentence or two that state what the chart shows. */
  summary: string;
  /** Stops what the chart observes. */
  close(): void;
}

/** A figure of a drawing; the caption is its text alternative. */
export function figure(drawing: HTMLElement, summary: string, close: () => void = () => {}): Chart {
  const caption = h('figcaption', {}, summary);
  const element = h('figure', { class: 'chart' }, caption, drawing);
  return { element, summary, close };
}

/** A chart of nothing, which states the reason. */
export function empty(reason: string): Chart {
  return { element: h('p', { class: 'empty' }, reason), summary: reason, close: () => {} };
}
