// Tests of what needs no browser: node test/units.mjs

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import test from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const folder = mkdtempSync(join(tmpdir(), 'tpq-units-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

/** A module of src/, as the pages have it. */
async function load(path) {
  const outfile = join(folder, path.replaceAll('/', '_').replace('.ts', '.mjs'));
  await build({ entryPoints: [join(root, 'src', path)], bundle: true, format: 'esm', outfile, logLevel: 'error' });
  return import(pathToFileURL(outfile));
}

const { duration, bytes, compact, share, unitOf } = await load('format.ts');
const { timesSince, compare } = await load('result.ts');
const { percentile, sorted, bins } = await load('charts/statistics.ts');
const { fromParents, fromStacks } = await load('charts/flame_tree.ts');
const { linear, logarithmic } = await load('charts/scale.ts');
const { parseLink, formatLink, onlyReads } = await load('page/link_state.ts');
const { toCsv } = await load('page/csv.ts');
const { perfettoAddress } = await load('page/perfetto_link.ts');

test('numbers are written in the unit that suits them', () => {
  assert.equal(duration(0), '0');
  assert.equal(duration(999), '999 ns');
  assert.equal(duration(1_234_567), '1.23 ms');
  assert.equal(duration(999_999_999), '1 s');
  assert.equal(duration(-2500), '-2.5 µs');
  assert.equal(bytes(1536), '1.5 KiB');
  assert.equal(compact(130442), '130 k');
  assert.equal(share(1, 3), '33 %');
  assert.equal(unitOf('thread_dur'), 'ns');
  assert.equal(unitOf('duration_of'), '');
  assert.equal(unitOf('rss_bytes'), 'bytes');
});

test('timestamps beyond 2^53 keep their nanoseconds', () => {
  const rows = [['1764150000000000001'], ['1764150000000000123'], [null], ['x']];
  assert.deepEqual(timesSince(rows, 0, 1764150000000000000n), [1, 123, NaN, NaN]);
});

test('large integers are compared exactly', () => {
  assert.ok(compare('9223372036854775806', '9223372036854775807', true) < 0);
  assert.ok(compare(2, 10, true) < 0);
  assert.ok(compare('2', '10', false) > 0);
  assert.ok(compare(null, 0, true) < 0);
});

test('percentiles and bins', () => {
  const values = sorted([4, 1, NaN, 3, 2]);
  assert.equal(percentile(values, 0.5), 2);
  assert.equal(percentile(values, 1), 4);
  assert.deepEqual(bins(values, 3, false).counts, [1, 1, 2]);
  assert.deepEqual(bins([1, 10, 100], 2, true).counts, [1, 2]);
  assert.equal(bins([5, 5], 4, true).counts.reduce((a, b) => a + b), 2);
});

test('ticks are round and within the scale', () => {
  assert.deepEqual(linear(0, 834, 0, 100, '').ticks, [0, 200, 400, 600, 800]);
  assert.deepEqual(logarithmic(0.8, 1200, 0, 100, '').ticks, [1, 10, 100, 1000]);
});

const columns = { id: 0, parent: 1, name: 2, value: 3, group: -1 };
const shape = (node) => [node.name, node.total, node.count, node.children.map(shape)];

test('slices of the same path are merged, in any order of the rows', () => {
  const rows = [[3, 2, 'b', 4], [1, null, 'a', 10], [2, 1, 'b', 6], [4, null, 'a', 5], [5, 4, 'b', 1]];
  const wanted = ['all', 15, 0, [['a', 15, 2, [['b', 7, 2, [['b', 4, 1, []]]]]]]];
  assert.deepEqual(shape(fromParents(rows, columns)), wanted);
});

test('a parent that is not among the rows, and parents in a circle, end the path', () => {
  const tree = fromParents([[1, 99, 'a', 2], [2, 3, 'x', 1], [3, 2, 'y', 1]], columns);
  assert.equal(tree.children.some((child) => child.name === 'a' && child.total === 2), true);
});

test('groups are the first level, and stacks add their values to each frame', () => {
  const grouped = fromParents([[1, null, 'a', 3, 't1'], [2, 1, 'b', 1, 't1']], { ...columns, group: 4 });
  assert.deepEqual(shape(grouped), ['all', 3, 0, [['t1', 3, 0, [['a', 3, 1, [['b', 1, 1, []]]]]]]]);
  const stacks = fromStacks([['a;b', 2], ['a', 1], ['c', 5]], 0, 1);
  assert.deepEqual(shape(stacks), ['all', 8, 0, [['c', 5, 1, []], ['a', 3, 1, [['b', 2, 1, []]]]]]);
});

test('a tree of 50,000 levels is built', () => {
  const rows = Array.from({ length: 50_000 }, (_, index) => [index, index - 1, `f${index}`, 1]);
  assert.equal(fromParents(rows, columns).total, 1);
});

test('the link states statement, view, rows and choices', () => {
  const state = { sql: "SELECT '#&=' AS a -- é\n;", view: 'bars', limit: 100_000, choices: { name: 'a b', value: '' } };
  assert.deepEqual(parseLink(formatLink(state)), state);
  assert.deepEqual(parseLink(''), { sql: '', view: '', limit: 10_000, choices: {} });
  assert.equal(parseLink('#limit=17').limit, 10_000);
});

test('only statements that read run when a link is opened', () => {
  for (const sql of ['SELECT 1', '-- DROP\n with a as (select 1) select * from a;', 'INCLUDE PERFETTO MODULE x; select(1)', "SELECT ';DROP TABLE t'"]) {
    assert.equal(onlyReads(sql), true, sql);
  }
  for (const sql of ['DROP TABLE t', 'SELECT 1; CREATE TABLE t AS SELECT 1', "/* ' */ ATTACH 'f' AS x"]) {
    assert.equal(onlyReads(sql), false, sql);
  }
});

test('CSV is quoted, and the Perfetto UI is opened on the port', () => {
  const columns = [{ name: 'a,b', type: 'TEXT' }, { name: 'c', type: 'TEXT' }];
  assert.equal(toCsv(columns, [['x"y', null], [1, 'z']]), '"a,b",c\r\n"x""y",\r\n1,z\r\n');
  assert.equal(perfettoAddress('9001'), 'https://ui.perfetto.dev/');
  assert.equal(perfettoAddress('9005'), 'https://ui.perfetto.dev/#!/?rpc_port=9005');
});
