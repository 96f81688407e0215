/** Slices merged by their path: the tree that a flame graph draws. */

import { Cell, toNumber, toText } from '../result';

export interface FlameNode {
  name: string;
  /** The sum of the values, at least that of the children. */
  total: number;
  /** The number of merged rows. */
  count: number;
  children: FlameNode[];
}

/** The columns of rows that state their parents. */
export interface TreeColumns {
  id: number;
  parent: number;
  name: number;
  value: number;
  /** A column with the texts of the first level; -1 for none. */
  group: number;
}

class Builder {
  readonly node: FlameNode;
  private byName = new Map<string, Builder>();

  constructor(name: string) {
    this.node = { name, total: 0, count: 0, children: [] };
  }

  child(name: string): Builder {
    let child = this.byName.get(name);
    if (!child) {
      child = new Builder(name);
      this.byName.set(name, child);
      this.node.children.push(child.node);
    }
    return child;
  }

  add(value: number): void {
    this.node.total += value;
    this.node.count += 1;
  }
}

/** Merges rows that state their parents. A row is a root if its parent is not among the rows. */
export function fromParents(rows: Cell[][], columns: TreeColumns): FlameNode {
  const root = new Builder('all');
  const byId = new Map<string, Cell[]>();
  for (const row of rows) byId.set(toText(row[columns.id]), row);
  const built = new Map<Cell[], Builder>();
  for (const row of rows) {
    // From the row up to an ancestor that is in the tree, then down again.
    const chain: Cell[][] = [];
    let at: Cell[] | undefined = row;
    while (at && !built.has(at) && chain.length < 10_000) {
      chain.push(at);
      at = byId.get(toText(at[columns.parent]));
    }
    let parent = at && built.get(at);
    for (const link of chain.reverse()) {
      parent ??= columns.group < 0 ? root : root.child(toText(link[columns.group]) || '(no name)');
      parent = parent.child(toText(link[columns.name]) || '(no name)');
      parent.add(Math.max(toNumber(link[columns.value]) || 0, 0));
      built.set(link, parent);
    }
  }
  return settle(root.node);
}

/** Merges rows of stacks, with frames separated by `;`, with the value of each. */
export function fromStacks(rows: Cell[][], stack: number, value: number): FlameNode {
  const root = new Builder('all');
  for (const row of rows) {
    let at = root;
    for (const name of toText(row[stack]).split(';')) at = at.child(name || '(no name)');
    at.add(value < 0 ? 1 : Math.max(toNumber(row[value]) || 0, 0));
  }
  return settle(root.node, true);
}

/** Sorts children, largest first, and gives each node at least the total of its children. */
export function settle(node: FlameNode, ownValues = false): FlameNode {
  // Without recursion: a tree can be deeper than the stack of calls.
  const order: FlameNode[] = [node];
  for (let index = 0; index < order.length; index++) {
    for (const child of order[index]?.children ?? []) order.push(child);
  }
  for (const at of order.reverse()) {
    const below = at.children.reduce((sum, child) => sum + child.total, 0);
    at.total = ownValues ? at.total + below : Math.max(at.total, below);
    at.children.sort((a, b) => b.total - a.total);
  }
  return node;
}
