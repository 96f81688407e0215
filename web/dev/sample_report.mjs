// The data of a report of an invented trace, and the page with it.

import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { answer, overview } from './sample.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const rowsOf = (sql) => answer({ sql, limit: 1e6 });

/** A tree of names and sizes. */
function tree(name, total, children = []) {
  return { name, total, count: 3, children };
}

/** The data of one trace; `scale` makes two of them differ. */
export function traceData(name, scale = 1) {
  const threads = rowsOf('cpu_time').rows.map(([thread, time], index) => [thread, index % 2 ? 'browser' : 'system', Math.floor(time * scale)]);
  const [first] = rowsOf('series').rows;
  const points = rowsOf('series').rows.filter(([, , series]) => series === 'CPU 0').map(([ts, value]) => [ts - first[0], value]);
  return {
    name,
    facts: [['File', name], ['Format', 'perfetto'], ['Size', '4.31 MiB'], ['Duration', '9.870 s'], ['Machine', 'Linux 6.18.5 x86_64, 2 CPUs']],
    start_ts: String(overview.start_ts),
    duration: 9_870_000_000,
    health: overview.health,
    threads: { columns: [], rows: threads },
    run_queue: { columns: [], rows: [[25, 9000], [50, 33000], [75, 90000], [90, 373000 * scale], [95, 9e5 * scale], [99, 7.3e6 * scale], [99.9, 2e7 * scale], [100, 3e7 * scale]] },
    longest_slices: { columns: [], rows: [['Load page', 'renderer', 'browser', 41e6 * scale, overview.start_ts + 5e6, 12], ['</script><script>document.title = "changed"</script>', 'io', '', 3e6, overview.start_ts + 9e6, 1]] },
    flame_graph: { of: 'threads', tree: tree('all', 100e6, [tree('renderer', 70e6, [tree('Load page', 60e6, [tree('Parse', 20e6), tree('Layout', 15e6)])]), tree('io', 30e6, [tree('Fetch', 25e6)])]) },
    counters: { series: [{ name: 'cpu_frequency', unit: 'kHz', owner: 'CPU 0', values: 9000, points }, { name: 'mem.rss', unit: 'bytes', owner: 'browser', values: 400, points: points.map(([ts, value]) => [ts, value * 1000]) }] },
  };
}

/** A trace that has nothing to draw. */
export function emptyTrace(name) {
  const missing = (what) => ({ missing: `The trace has no ${what}.` });
  return {
    ...traceData(name),
    health: { state: 'complete', headline: 'No data was lost.', findings: [] },
    threads: missing('scheduling events'),
    run_queue: missing('scheduling events'),
    longest_slices: missing('slices'),
    flame_graph: missing('slices'),
    counters: missing('counter that changes'),
  };
}

/** The page of a report, as `tpq report` writes it. */
export function page(traces) {
  const data = JSON.stringify({ version: '0.1.0', traces }).replaceAll('<', '\\u003c');
  const [before, after] = readFileSync(join(root, 'dist/report.html'), 'utf8').split('%report data%');
  return before + data + after;
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  process.stdout.write(page(process.argv[2] === 'compared' ? [traceData('before.pftrace'), traceData('after.pftrace', 1.4)] : [traceData('sample.pftrace')]));
}
