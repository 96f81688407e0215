/** The query and the view, which are kept in the link of the page. */

export interface LinkState {
  sql: string;
  /** The view, such as `table` or `bars`. */
  view: string;
  limit: number;
  /** The columns and options chosen for a chart, by the name of the choice. */
  choices: Record<string, string>;
}

/** The numbers of rows to choose from; a taller table than the last exceeds what browsers draw. */
export const LIMITS = [1_000, 10_000, 100_000, 500_000];
export const DEFAULT_LIMIT = 10_000;

/** Reads the part of a link after `#`. Choices of a chart begin with `c.`. */
export function parseLink(hash: string): LinkState {
  const values = new URLSearchParams(hash.replace(/^#/, ''));
  const limit = Number(values.get('limit'));
  const choices: Record<string, string> = {};
  for (const [name, value] of values) {
    if (name.startsWith('c.')) choices[name.slice(2)] = value;
  }
  return {
    sql: values.get('sql') ?? '',
    view: values.get('view') ?? '',
    limit: LIMITS.includes(limit) ? limit : DEFAULT_LIMIT,
    choices,
  };
}

/** The part of a link after `#`. */
export function formatLink({ sql, view, limit, choices }: LinkState): string {
  const values = new URLSearchParams();
  if (sql) values.set('sql', sql);
  if (view) values.set('view', view);
  if (limit !== DEFAULT_LIMIT) values.set('limit', String(limit));
  for (const [name, value] of Object.entries(choices)) values.set(`c.${name}`, value);
  return `#${values}`;
}

/**
 * Whether statements only read. A link of another person runs at once only then; other statements
 * wait for the user.
 */
export function onlyReads(sql: string): boolean {
  const plain = sql.replace(/--[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'|"(?:[^"]|"")*"/g, ' ');
  const first = plain.split(';').map((statement) => statement.trim().split(/\s+/)[0]?.toUpperCase() ?? '');
  const reading = ['', 'SELECT', 'WITH', 'VALUES', 'FROM', 'EXPLAIN', 'DESCRIBE', 'SUMMARIZE', 'SHOW', 'INCLUDE'];
  return first.every((word) => reading.includes(word.replace(/\(.*/, '')));
}
