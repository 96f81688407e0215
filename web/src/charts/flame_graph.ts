/**
 * A flame graph, from the top down: each block is as wide as its share of the time. A click or
 * Enter shows one block at the full width; the arrow keys move between blocks.
 */

import { h, onResize } from '../dom';
import { Unit, counted, inUnit, share } from '../format';
import { Chart, empty, figure } from './chart';
import type { FlameNode } from './flame_tree';
import { hideTooltip, showTooltip } from './tooltip';

const ROW = 19;
/** Narrower blocks are not drawn. */
const NARROWEST = 1.5;
const MOST_BLOCKS = 4000;
/** The number of colours; the style sheet has one for each. */
const COLOURS = 8;

interface Block {
  node: FlameNode;
  parent: Block | null;
  depth: number;
  element: HTMLElement;
}

/** Draws a flame graph. */
export function flameGraph(root: FlameNode, unit: Unit, what: string): Chart {
  if (root.children.length === 0 || root.total === 0) return empty(`No ${what} has a duration.`);
  const graph = new FlameGraph(root, unit, what);
  return figure(graph.element, describe(root, unit, what), graph.close);
}

function describe(root: FlameNode, unit: Unit, what: string): string {
  const [top] = root.children;
  const largest = top ? `; the largest is ${top.name} with ${share(top.total, root.total)}` : '';
  return `Time in ${what} by their path, ${inUnit(root.total, unit)} in all${largest}.`;
}

class FlameGraph {
  readonly element: HTMLElement;
  readonly close: () => void;
  private host = h('div', { class: 'flame', role: 'tree', 'aria-label': 'Flame graph' });
  private found = h('span', { class: 'dim', 'aria-live': 'polite' });
  private path = h('nav', { class: 'flame-path', 'aria-label': 'Path of the block at full width' });
  private zoomed: FlameNode[];
  private blocks = new Map<HTMLElement, Block>();
  private search = '';

  constructor(private root: FlameNode, private unit: Unit, what: string) {
    this.zoomed = [root];
    const input = h('input', {
      type: 'search', placeholder: `Find ${what}`, 'aria-label': `Find ${what} by name`,
      oninput: (event: Event) => this.find((event.target as HTMLInputElement).value),
    });
    this.element = h('div', { class: 'flame-graph' }, h('div', { class: 'controls' }, input, this.found), this.path, this.host);
    this.close = onResize(this.host, () => this.draw());
    this.host.addEventListener('click', (event) => this.zoomTo(this.blocks.get(event.target as HTMLElement)));
    this.host.addEventListener('keydown', (event) => {
      if (this.onKey(event.key)) event.preventDefault();
    });
    this.host.addEventListener('pointermove', (event) => this.tip(event));
    this.host.addEventListener('pointerleave', hideTooltip);
    this.host.addEventListener('focusout', hideTooltip);
  }

  /** Draws the ancestors of the zoomed node, and its descendants at their share of the width. */
  private draw(): void {
    const hadFocus = this.host.contains(document.activeElement);
    this.host.replaceChildren();
    this.blocks.clear();
    const width = this.host.clientWidth;
    let parent: Block | null = null;
    const last = this.zoomed.length - 1;
    let deepest = last;
    this.zoomed.forEach((node, depth) => {
      parent = this.block(node, parent, depth, 0, width);
    });
    const queue: [Block, number, number][] = parent ? [[parent, 0, width]] : [];
    for (let index = 0; index < queue.length && this.blocks.size < MOST_BLOCKS; index++) {
      const [block, left, space] = queue[index]!;
      let at = left;
      for (const child of block.node.children) {
        const own = (space * child.total) / Math.max(block.node.total, 1e-300);
        if (own < NARROWEST) break;
        queue.push([this.block(child, block, block.depth + 1, at, own), at, own]);
        deepest = Math.max(deepest, block.depth + 1);
        at += own;
      }
    }
    this.host.style.height = `${(deepest + 1) * ROW}px`;
    const current = this.host.children[last] as HTMLElement | undefined;
    if (current) current.tabIndex = 0;
    if (hadFocus) current?.focus();
    this.drawPath();
    this.find(this.search);
  }

  private block(node: FlameNode, parent: Block | null, depth: number, left: number, width: number): Block {
    const value = `${inUnit(node.total, this.unit)}, ${share(node.total, this.root.total)}`;
    const element = h('div', {
      role: 'treeitem', tabindex: -1, 'aria-level': depth + 1, 'aria-label': `${node.name}, ${value}`,
      class: depth === 0 ? 'block root' : `block flame-${colourOf(node.name)}`,
      style: `left:${left.toFixed(1)}px;top:${depth * ROW}px;width:${Math.max(width - 1, 1).toFixed(1)}px`,
    }, width > 24 ? node.name : '');
    if (depth < this.zoomed.length - 1) element.classList.add('above');
    this.host.append(element);
    const block = { node, parent, depth, element };
    this.blocks.set(element, block);
    return block;
  }

  private drawPath(): void {
    this.path.hidden = this.zoomed.length < 2;
    const link = (node: FlameNode, index: number) => h('button', {
      type: 'button', class: 'link',
      onclick: () => { this.zoomed = this.zoomed.slice(0, index + 1); this.draw(); },
    }, node.name);
    this.path.replaceChildren(...this.zoomed.flatMap((node, index) => (index > 0 ? [' › ', link(node, index)] : [link(node, index)])));
  }

  private zoomTo(block: Block | undefined): void {
    if (!block) return;
    const path: FlameNode[] = [];
    for (let at: Block | null = block; at; at = at.parent) path.unshift(at.node);
    this.zoomed = path;
    hideTooltip();
    this.host.focus();
    this.draw();
  }

  private onKey(key: string): boolean {
    const element = document.activeElement as HTMLElement;
    const block = this.blocks.get(element);
    if (!block) return false;
    const all = [...this.blocks.values()];
    const siblings = all.filter((other) => other.parent === block.parent);
    const at = siblings.indexOf(block);
    switch (key) {
      case 'ArrowUp': this.focus(block.parent ?? block); return true;
      case 'ArrowDown': this.focus(all.find((other) => other.parent === block) ?? block); return true;
      case 'ArrowLeft': this.focus(siblings[at - 1] ?? block); return true;
      case 'ArrowRight': this.focus(siblings[at + 1] ?? block); return true;
      case 'Enter': case ' ': this.zoomTo(block); return true;
      case 'Escape': case 'Home': this.zoomed = [this.root]; this.draw(); return true;
      default: return false;
    }
  }

  private focus({ element, node }: Block): void {
    this.host.querySelectorAll('[tabindex="0"]').forEach((other) => other.setAttribute('tabindex', '-1'));
    element.tabIndex = 0;
    element.focus();
    const { left, bottom } = element.getBoundingClientRect();
    showTooltip(left, bottom - 12, this.lines(node));
  }

  private tip(event: PointerEvent): void {
    const block = this.blocks.get(event.target as HTMLElement);
    if (block) showTooltip(event.clientX, event.clientY, this.lines(block.node));
    else hideTooltip();
  }

  private lines(node: FlameNode): string[] {
    const below = node.children.reduce((sum, child) => sum + child.total, 0);
    const own = node.total - below;
    const lines = [node.name, `${inUnit(node.total, this.unit)}, ${share(node.total, this.root.total)} of all`];
    if (node.children.length > 0) lines.push(`${inUnit(own, this.unit)} not in a child`);
    if (node.count > 0) lines.push(counted(node.count, 'time'));
    return lines;
  }

  /** Marks the blocks with a text in their name. */
  private find(text: string): void {
    this.search = text;
    const wanted = text.toLowerCase();
    this.host.classList.toggle('searching', wanted !== '');
    let matches = 0;
    for (const { node, element } of this.blocks.values()) {
      const match = wanted !== '' && node.name.toLowerCase().includes(wanted);
      element.classList.toggle('found', match);
      if (match) matches += 1;
    }
    this.found.textContent = wanted === '' ? '' : counted(matches, 'block');
  }
}

/** The colour of a name: the same name has the same colour in every graph. */
function colourOf(name: string): number {
  let hash = 7;
  for (let index = 0; index < name.length; index++) hash = (hash * 31 + name.charCodeAt(index)) | 0;
  return (Math.abs(hash) % COLOURS) + 1;
}
