/** Completion: tables, the columns of the tables in the statement, functions, modules, keywords. */

import type { Completion, CompletionContext, CompletionResult, CompletionSource } from '@codemirror/autocomplete';
import type { Overview, Relation } from './api';

const KEYWORDS = `SELECT FROM WHERE GROUP BY ORDER LIMIT OFFSET HAVING JOIN LEFT INNER CROSS ON USING AS AND OR NOT IN IS NULL
  LIKE GLOB BETWEEN CASE WHEN THEN ELSE END DISTINCT UNION ALL WITH RECURSIVE CAST EXISTS OVER PARTITION ASC DESC
  CREATE PERFETTO TABLE VIEW FUNCTION MACRO RETURNS INCLUDE MODULE SPAN_JOIN EXPLAIN SUMMARIZE DESCRIBE VALUES`
  .split(/\s+/);

/** A table that a statement names, and the name by which it refers to it. */
interface Use {
  relation: Relation;
  alias: string;
}

/** Completes from what the trace has. */
export function completionSource(overview: Overview): CompletionSource {
  const relations = new Map(overview.tables.map((relation) => [relation.name.toLowerCase(), relation]));
  const everywhere = [...tables(overview), ...functions(overview), ...keywords()];
  const modules: Completion[] = overview.modules.map((label) => ({ label, type: 'namespace' }));
  return (context) => {
    const module = context.matchBefore(/INCLUDE\s+PERFETTO\s+MODULE\s+[\w.*]*/i);
    if (module) {
      const from = module.to - (/[\w.*]*$/.exec(module.text)?.[0].length ?? 0);
      return { from, options: modules, validFor: /^[\w.*]*$/ };
    }
    if (inTextOrComment(context)) return null;
    const used = uses(statementAt(context), relations);
    const qualified = context.matchBefore(/[\w$]+\.\w*/);
    if (qualified) return ofTable(qualified.from, qualified.text, used, relations);
    const word = context.matchBefore(/[\w$]+/);
    if (!word && !context.explicit) return null;
    const columns = uniqueColumns(used.map((use) => use.relation));
    return { from: word?.from ?? context.pos, options: [...columns, ...everywhere], validFor: /^[\w$]*$/ };
  };
}

function ofTable(from: number, text: string, used: Use[], relations: Map<string, Relation>): CompletionResult | null {
  const dot = text.indexOf('.');
  const name = text.slice(0, dot).toLowerCase();
  const relation = used.find((use) => use.alias === name)?.relation ?? relations.get(name);
  return relation ? { from: from + dot + 1, options: columns(relation), validFor: /^\w*$/ } : null;
}

function tables({ tables }: Overview): Completion[] {
  return tables.map(({ name, kind, doc, rows }) => ({
    label: name,
    type: 'class',
    detail: rows === null ? kind : `${rows.toLocaleString('en-US')} rows`,
    info: doc || undefined,
    // Names that begin with _ are internal.
    boost: name.startsWith('_') ? -5 : rows === 0 ? 0 : 3,
  }));
}

function functions({ functions }: Overview): Completion[] {
  return functions.map(({ name, kind, arguments: list }) => ({
    label: name,
    type: 'function',
    detail: list === null ? kind : `(${list})`,
    apply: `${name}(`,
    boost: name.startsWith('_') ? -9 : -1,
  }));
}

function keywords(): Completion[] {
  return KEYWORDS.map((label) => ({ label, type: 'keyword', boost: -2 }));
}

function columns({ name: table, columns }: Relation): Completion[] {
  return columns.map(({ name, type, doc }) => ({
    label: name, type: 'property', detail: type, info: doc || undefined, boost: 6, section: table,
  }));
}

function uniqueColumns(relations: Relation[]): Completion[] {
  const seen = new Set<string>();
  return relations.flatMap(columns)
    .filter(({ label }) => !seen.has(label) && seen.add(label))
    .map((column) => ({ ...column, section: undefined }));
}

/** The statement around the cursor. */
function statementAt(context: CompletionContext): string {
  const text = context.state.doc.toString();
  const from = text.lastIndexOf(';', context.pos - 1) + 1;
  const end = text.indexOf(';', context.pos);
  return text.slice(from, end < 0 ? undefined : end);
}

/** The tables after FROM and JOIN, and after commas between them. */
function uses(statement: string, relations: Map<string, Relation>): Use[] {
  const used: Use[] = [];
  // What follows the name is looked at without being consumed: it may begin the next match.
  const names = /(?:\bfrom|\bjoin|,)\s+(\w+)(?=(?:\s+(?:as\s+)?(\w+))?)/gi;
  for (const [, name = '', next = ''] of statement.matchAll(names)) {
    const relation = relations.get(name.toLowerCase());
    const alias = KEYWORDS.includes(next.toUpperCase()) || next === '' ? name : next;
    if (relation) used.push({ relation, alias: alias.toLowerCase() });
  }
  return used;
}

/** Whether the cursor is within a quoted text or a comment of its line. */
function inTextOrComment(context: CompletionContext): boolean {
  const line = context.state.doc.lineAt(context.pos);
  const before = line.text.slice(0, context.pos - line.from).replace(/'[^']*'/g, '');
  return before.includes("'") || before.includes('--');
}
