// Answers as the server does, from the command line of tpq: for looking at real traces while the
// page is developed. The server itself has types and documentation of all columns.

import { execFile } from 'node:child_process';
import { basename } from 'node:path';
import { statSync } from 'node:fs';

/** Runs tpq and returns what it printed, or its error. */
function run(binary, args) {
  return new Promise((resolve) => {
    execFile(binary, args, { maxBuffer: 1 << 30 }, (error, stdout, stderr) => resolve({ error, stdout, stderr }));
  });
}

/** Lines of JSON as rows. Integers that a double does not hold become text. */
function parse(text, limit) {
  const lines = text.split('\n').filter(Boolean);
  const exact = (line) => line.replace(/:(-?\d{16,})([,}])/g, ':"$1"$2');
  const objects = lines.slice(0, limit).map((line) => JSON.parse(exact(line)));
  const names = Object.keys(objects[0] ?? {});
  const type = (name) => {
    const values = objects.map((object) => object[name]).filter((value) => value !== null);
    if (values.every((value) => Number.isInteger(value) || /^-?\d{16,}$/.test(value))) return 'INTEGER';
    return values.every((value) => typeof value === 'number') ? 'DOUBLE' : 'TEXT';
  };
  return {
    columns: names.map((name) => ({ name, type: type(name) })),
    rows: objects.map((object) => names.map((name) => object[name])),
    row_count: objects.length,
    truncated: lines.length > limit,
  };
}

/** Answers the two endpoints for a trace. */
export function answersOf(binary, trace) {
  const query = async ({ sql, limit }) => {
    const start = performance.now();
    const { error, stdout, stderr } = await run(binary, ['query', '-q', trace, '--format', 'ndjson', '-c', sql]);
    const elapsed_ms = performance.now() - start;
    const none = { columns: [], rows: [], row_count: 0, truncated: false, elapsed_ms };
    if (!error) return { ...parse(stdout, limit), elapsed_ms };
    const place = stderr.match(/line (\d+), column (\d+)/);
    const message = stderr.split('\n')[0].replace(/^error: /, '');
    return { ...none, error: { message, line: Number(place?.[1]), column: Number(place?.[2]) } };
  };
  const rows = async (sql) => (await query({ sql, limit: 100000 })).rows;
  const overview = async () => {
    const check = JSON.parse((await run(binary, ['check', '-q', trace, '--format', 'json'])).stdout);
    const [bounds] = await rows('SELECT start_ts, end_ts FROM trace_bounds');
    const names = await rows("SELECT name, sql FROM sqlite_master WHERE type IN ('table', 'view') ORDER BY name");
    const counts = new Map(await rows(names.map(([name]) => `SELECT '${name}', count(*) FROM ${name}`).join(' UNION ALL ')));
    const tables = names.map(([name]) => ({ name, kind: 'table', rows: counts.get(name) ?? 0, doc: '', columns: [] }));
    return {
      version: 'development',
      traces: [{ name: basename(trace), format: '', bytes: statSync(trace).size }],
      start_ts: bounds?.[0] ?? null,
      end_ts: bounds?.[1] ?? null,
      health: {
        state: check.lost ? 'lost' : check.unknown ? 'unknown' : check.losses.length > 0 ? 'risk' : 'complete',
        headline: check.lost ? 'Data was lost.' : 'No data was lost.',
        findings: check.losses.map((loss) => ({ severity: loss.severity, what: [loss.what], remedy: loss.remedy ?? undefined })),
      },
      machines: (await rows("SELECT id, coalesce(name, 'machine ' || id), concat_ws(' ', sysname, release, arch), num_cpus FROM machine"))
        .map(([id, name, system, cpus]) => ({ id, name, system, cpus })),
      clocks: [],
      tables,
      functions: [],
      modules: [],
    };
  };
  return { query, overview };
}
