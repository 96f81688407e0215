/** An area with two axes, drawn as SVG and drawn again when its width changes. */

import { h, onResize, svg } from '../dom';
import type { Scale } from './scale';
import { hideTooltip, showTooltip } from './tooltip';

export const MARGIN = { top: 8, right: 16, bottom: 36, left: 64 };

/** The area within the axes, in pixels. */
export interface Area {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

export interface Plot {
  x: Scale;
  y: Scale;
  /** The names of the axes. */
  xTitle: string;
  yTitle: string;
  marks: SVGElement[];
}

/** Creates the drawing; `draw` returns the marks and scales for an area. */
export function svgPlot(height: number, label: string, draw: (area: Area) => Plot): [HTMLElement, () => void] {
  const host = h('div', { class: 'plot' });
  const render = (width: number) => {
    const area = { left: MARGIN.left, right: width - MARGIN.right, top: MARGIN.top, bottom: height - MARGIN.bottom };
    const plot = draw(area);
    host.replaceChildren(
      svg('svg', { width, height, role: 'img', 'aria-label': label }, ...axes(plot, area), svg('g', {}, ...plot.marks)),
    );
  };
  host.addEventListener('pointermove', (event) => {
    const tip = (event.target as Element).getAttribute?.('data-tip');
    if (tip) showTooltip(event.clientX, event.clientY, tip.split('\n'));
    else hideTooltip();
  });
  host.addEventListener('pointerleave', hideTooltip);
  return [host, onResize(host, render)];
}

function axes({ x, y, xTitle, yTitle }: Plot, area: Area): SVGElement[] {
  const marks: SVGElement[] = [];
  y.ticks.forEach((tick, index) => {
    const at = Math.round(y.at(tick)) + 0.5;
    marks.push(svg('line', { class: 'grid', x1: area.left, x2: area.right, y1: at, y2: at }));
    marks.push(svg('text', { class: 'tick', x: area.left - 6, y: at + 4, 'text-anchor': 'end' }, y.labels[index] ?? ''));
  });
  x.ticks.forEach((tick, index) => {
    const at = Math.round(x.at(tick)) + 0.5;
    marks.push(svg('line', { class: 'axis', x1: at, x2: at, y1: area.bottom, y2: area.bottom + 4 }));
    marks.push(svg('text', { class: 'tick', x: at, y: area.bottom + 16, 'text-anchor': 'middle' }, x.labels[index] ?? ''));
  });
  marks.push(svg('line', { class: 'axis', x1: area.left, x2: area.right, y1: area.bottom + 0.5, y2: area.bottom + 0.5 }));
  marks.push(svg('text', { class: 'title', x: area.right, y: area.bottom + 31, 'text-anchor': 'end' }, xTitle));
  const middle = (area.top + area.bottom) / 2;
  const turned = `rotate(-90 12 ${middle})`;
  marks.push(svg('text', { class: 'title', x: 12, y: middle, 'text-anchor': 'middle', transform: turned }, yTitle));
  return marks;
}
