// Drives the page in a browser, on an invented trace: node test/page.mjs

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serve } from '../dev/server.mjs';
import { allowScripts, expect, expectEqual, hindrances, text, withBrowser } from './browser.mjs';

const LATENCIES = "SELECT ts, dur FROM thread_state WHERE state = 'R'";
const SLICES = 'SELECT id, parent_id, name, dur, thread FROM slice';

const folder = mkdtempSync(join(tmpdir(), 'tpq-page-'));
const { server, port } = await serve();
const address = `http://127.0.0.1:${port}/`;
const link = (values) => `${address}#${new URLSearchParams(values)}`;

/** Opens a link and waits until the trace is described and the statement has run. */
async function open(page, url = address) {
  await page.goto(url);
  await page.waitForFunction(() => document.title !== 'tpq');
  if (url !== address) await settled(page);
}

async function settled(page) {
  await page.waitForFunction(() => / in |error|press/.test(document.getElementById('status').textContent));
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
}

/** Writes a statement in the editor and runs it by the keyboard. */
async function runByKeys(page, sql) {
  await page.focus('.cm-content');
  await page.keyboard.down('Control');
  await page.keyboard.press('a');
  await page.keyboard.up('Control');
  await page.keyboard.sendCharacter(sql);
  await page.evaluate(() => { document.getElementById('status').textContent = ''; });
  await page.keyboard.down('Control');
  await page.keyboard.press('Enter');
  await page.keyboard.up('Control');
  await settled(page);
}

const active = (page) => page.evaluate(() => document.activeElement.id || document.activeElement.className);
const hash = (page) => page.evaluate(() => Object.fromEntries(new URLSearchParams(location.hash.slice(1))));

await withBrowser([
  ['the overview states health, machines, clocks and tables', async (page) => {
    await open(page);
    expect(await text(page, '#health-badge'), 'Data lost: 1 finding');
    const overview = await text(page, '#view');
    for (const wanted of ['was overwritten', 'Set size_kb', 'Linux 6.18.5', 'BOOTTIME', 'trace time', '130,442']) expect(overview, wanted);
    expect(await text(page, '#catalog-list'), 'slice');
    expect(await page.title(), 'sample.pftrace');
  }],

  ['a statement is typed, run by Ctrl+Enter and shown as a table', async (page) => {
    await open(page);
    await runByKeys(page, 'SELECT id, name, dur FROM slice');
    expect(await text(page, '#status'), 'first 10,000 rows in 4.2 ms');
    expect(await text(page, '#view thead'), 'dur');
    const shown = await page.$$eval('#view tbody tr:not(.spacer)', (rows) => rows.length);
    if (shown > 200) throw new Error(`${shown} rows are in the document`);
    await page.$eval('.result-scroll', (element) => { element.scrollTop = element.scrollHeight; });
    await page.waitForFunction(() => document.querySelector('#view tbody').textContent.includes('10,000'));
  }],

  ['rows are sorted by a column', async (page) => {
    await open(page, link({ sql: 'SELECT id, name, dur FROM slice' }));
    const first = () => page.$eval('#view tbody tr:not(.spacer)', (row) => Number(row.lastElementChild.textContent));
    const button = (await page.$$('#view th button'))[2];
    await button.press('Enter');
    const least = await first();
    await (await page.$$('#view th button'))[2].press('Enter');
    if (!(least < (await first()))) throw new Error('the order did not change');
    expectEqual(await page.$eval('#view th:last-child', (head) => head.ariaSort), 'descending');
  }],

  ['values are shown as they are: large integers, NULL, and text that looks like HTML', async (page) => {
    await open(page, link({ sql: 'SELECT big, name', view: 'table' }));
    const shown = await text(page, '#view tbody');
    for (const wanted of ['9223372036854775807', 'NULL', '</script><b>bold']) expect(shown, wanted);
  }],

  ['rows are copied and saved as CSV', async (page) => {
    await page.browserContext().overridePermissions(address.slice(0, -1), ['clipboard-read', 'clipboard-write', 'clipboard-sanitized-write']);
    await open(page, link({ sql: 'SELECT thread, cpu_time' }));
    const [copy, save] = await page.$$('.result-foot button');
    await copy.press('Enter');
    await page.waitForFunction(() => document.getElementById('status').textContent.startsWith('copied'));
    expect(await page.evaluate(() => navigator.clipboard.readText()), /^thread,cpu_time\r?\nrenderer,3200000000\r?\n/);
    const client = await page.createCDPSession();
    await client.send('Browser.setDownloadBehavior', { behavior: 'allowAndName', downloadPath: folder, eventsEnabled: true });
    const done = new Promise((resolve) => {
      client.on('Browser.downloadProgress', (event) => event.state === 'completed' && resolve(event.guid));
    });
    await save.press('Enter');
    expect(readFileSync(join(folder, await done), 'utf8'), 'compositor,');
  }],

  ['each chart is drawn, with a text that states what it shows', async (page) => {
    await open(page, link({ sql: LATENCIES, limit: 100000 }));
    const press = async (key) => {
      await page.focus('#view');
      await page.keyboard.press(key);
      await page.waitForFunction(() => document.querySelector('#view .chart'));
      await page.waitForFunction(() => document.querySelector('#view svg, #view canvas, #view .block, #view .bars'));
      return text(page, '#view');
    };
    expect(await press('4'), /dur: 20,000 values from \d+ ns to .* ms; half are at most/);
    expect(await press('6'), /dur over time: 20,000 values; the median is .*, the largest/);
    expect(await press('3'), /dur: 20,000 values from 0 to 9.8 s/);
    expect(await press('5'), /dur by ts/);
    await runByKeys(page, SLICES);
    await page.keyboard.press('Escape');
    expect(await press('7'), /Time in slices by their path/);
    const label = await page.$eval('#view [role="treeitem"]', (element) => element.ariaLabel);
    expect(label, /^all, /);
  }],

  ['a chart without its columns states what is missing', async (page) => {
    await open(page, link({ sql: 'SELECT thread, cpu_time', view: 'heat_map' }));
    expect(await text(page, '#view'), 'Heat map needs a column of numbers for “Latency”');
  }],

  ['another column is chosen, and the link has it', async (page) => {
    await open(page, link({ sql: LATENCIES, view: 'histogram' }));
    await page.select('#choice-value', 'ts');
    await page.select('#choice-scale', 'linear');
    expect(await text(page, '#view'), 'ts: 10,000 values');
    expectEqual(await hash(page), { sql: LATENCIES, view: 'histogram', 'c.value': 'ts', 'c.scale': 'linear' });
  }],

  ['the link opens the same statement and view', async (page) => {
    await open(page);
    await runByKeys(page, LATENCIES);
    await page.keyboard.press('Escape');
    await page.focus('#view');
    await page.keyboard.press('6');
    const url = page.url();
    await page.goto('about:blank');
    await open(page, url);
    expect(await text(page, '.cm-content'), 'thread_state');
    expect(await text(page, '[aria-selected="true"]'), 'Heat map');
    expect(await text(page, '#view'), 'dur over time: 10,000 values');
    expect(await text(page, '#view'), 'Drawn from the first 10,000 rows');
  }],

  ['going back shows the statement before', async (page) => {
    await open(page);
    await runByKeys(page, 'SELECT id, name, dur FROM slice');
    await runByKeys(page, LATENCIES);
    await page.goBack();
    await page.waitForFunction(() => document.querySelector('#view thead')?.textContent.includes('name'));
  }],

  ['a link with a statement that changes something waits for the user', async (page) => {
    await open(page, link({ sql: 'CREATE PERFETTO TABLE t AS SELECT 1 AS a' }));
    expect(await text(page, '#status'), 'press Ctrl+Enter');
  }],

  ['an error points to its place', async (page) => {
    await open(page);
    await runByKeys(page, 'SELECT *\nFROM slices2');
    const error = await text(page, '#error');
    for (const wanted of ['no table or view is called `slices2`', 'line 2, column 6', '^^^^^^^', 'did you mean `slices`?']) expect(error, wanted);
    expectEqual(await page.$eval('#error', (element) => element.getAttribute('role')), 'alert');
    await page.waitForSelector('.cm-lintRange-error');
  }],

  ['words are completed: tables, and columns of the tables in FROM', async (page) => {
    await open(page);
    await page.focus('.cm-content');
    await page.keyboard.type('SELECT * FROM thread_st');
    await page.waitForSelector('.cm-tooltip-autocomplete');
    expect(await text(page, '.cm-tooltip-autocomplete'), 'thread_state');
    await page.waitForFunction(() => document.querySelector('.cm-tooltip-autocomplete [aria-selected]'));
    await new Promise((done) => setTimeout(done, 150));
    await page.keyboard.press('Enter');
    expect(await text(page, '.cm-content'), 'FROM thread_state');
    await page.keyboard.type(' AS s WHERE s.st');
    await page.waitForFunction(() => document.querySelector('.cm-tooltip-autocomplete')?.textContent.includes('state'));
    await page.keyboard.press('Escape');
    await page.keyboard.type('; SELECT ts, c.va FROM counter AS c');
    for (let index = 0; index < ' FROM counter AS c'.length; index++) await page.keyboard.press('ArrowLeft');
    await page.keyboard.down('Control');
    await page.keyboard.press('Space');
    await page.keyboard.up('Control');
    await page.waitForFunction(() => document.querySelector('.cm-tooltip-autocomplete')?.textContent.includes('value'));
    await page.keyboard.press('Escape');
  }],

  ['everything is reached by the keyboard', async (page) => {
    await open(page);
    await page.evaluate(() => document.activeElement.blur());
    const seen = [];
    for (let index = 0; index < 40; index++) {
      await page.keyboard.press('Tab');
      seen.push(await active(page));
    }
    for (const wanted of ['skip', 'health-badge', 'perfetto', 'show-shortcuts', 'catalog-filter', 'run', 'limit', 'examples', 'copy-link', 'tab-overview', 'view']) {
      if (!seen.includes(wanted)) throw new Error(`Tab does not reach ${wanted}: ${seen}`);
    }
    expect(seen.join(' '), 'cm-content');
  }],

  ['shortcuts: ? lists them, / filters tables, e goes to the editor, Escape leaves it', async (page) => {
    await open(page);
    await page.keyboard.press('Escape');
    expectEqual(await active(page), 'run');
    await page.keyboard.press('?');
    expect(await text(page, '#shortcuts[open]'), 'Run the statement');
    await page.keyboard.press('Escape');
    await page.keyboard.press('/');
    await page.keyboard.type('is_idle');
    expectEqual(await page.$$eval('#catalog-list .relation', (all) => all.length), 1);
    await page.waitForFunction(() => document.querySelector('#catalog-list').textContent.includes('idle task'));
    await page.evaluate(() => document.activeElement.blur());
    await page.keyboard.press('e');
    expect(await active(page), 'cm-content');
  }],

  ['a flame graph is moved through by keys', async (page) => {
    await open(page, link({ sql: SLICES, view: 'flame_graph', limit: 100000 }));
    const label = () => page.evaluate(() => document.activeElement.ariaLabel);
    await page.focus('#view [role="treeitem"]');
    await page.keyboard.press('ArrowDown');
    const child = await label();
    await page.keyboard.press('Enter');
    expect(await label(), child.split(',')[0]);
    expectEqual(await page.$eval('.flame-path', (path) => path.hidden), false);
    await page.keyboard.press('Home');
    expect(await label(), /^all, /);
    await page.type('.flame-graph input', 'Layout');
    expect(await text(page, '.flame-graph .controls'), /\d+ blocks?/);
  }],

  ['an example is chosen', async (page) => {
    await open(page);
    await page.select('#examples', '0');
    await settled(page);
    expect(await text(page, '#view'), 'cpu_time by thread; the largest is renderer');
    expect(await text(page, '[aria-selected="true"]'), 'Bars');
  }],

  ['a table shows its columns and its rows', async (page) => {
    await open(page);
    await page.focus('#catalog-list summary');
    await page.keyboard.press('Enter');
    await page.waitForSelector('.relation-body');
    expect(await text(page, '.relation-body'), 'Duration, ns; 0 for an instant');
    await (await page.$('.relation-body .actions button')).press('Enter');
    await settled(page);
    expect(await text(page, '.cm-content'), 'SELECT * FROM slice LIMIT 1000');
  }],

  ['the Perfetto UI is opened on the port of this server', async (page) => {
    await open(page);
    expectEqual(await page.$eval('#perfetto', (element) => element.href), `https://ui.perfetto.dev/#!/?rpc_port=${port}`);
  }],

  ['nothing is loaded from elsewhere', async (page) => {
    const requests = [];
    page.on('request', (request) => requests.push(request.url()));
    await open(page, link({ sql: LATENCIES, view: 'heat_map' }));
    const others = requests.filter((url) => !url.startsWith(address) && !url.startsWith('data:'));
    expectEqual(others, []);
  }],

  ['nothing hinders people with a keyboard or a screen reader', async (page) => {
    await allowScripts(page);
    const views = [['table', 'SELECT id FROM slice'], ['bars', 'SELECT thread, cpu_time'], ['time_series', LATENCIES],
      ['histogram', LATENCIES], ['heat_map', LATENCIES], ['flame_graph', SLICES]];
    for (const url of [address, ...views.map(([view, sql]) => link({ view, sql }))]) {
      await page.goto('about:blank');
      await open(page, url);
      expectEqual(await hindrances(page), []);
    }
  }],

  ['texts have enough contrast, in light and dark', async (page) => {
    for (const value of ['light', 'dark']) {
      await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value }]);
      await open(page);
      expectEqual(await page.evaluate(lowContrast), []);
    }
  }],
]);
server.close();
rmSync(folder, { recursive: true });

/** The texts whose colour is too close to that of their background. */
function lowContrast() {
  const channels = (colour) => (colour.match(/[\d.]+/g) ?? []).map(Number);
  const luminance = ([red, green, blue]) => [red, green, blue]
    .map((value) => value / 255)
    .map((value) => (value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4))
    .reduce((sum, value, index) => sum + value * [0.2126, 0.7152, 0.0722][index], 0);
  const backgroundOf = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const colour = channels(getComputedStyle(at).backgroundColor);
      if (colour.length === 3 || colour[3] === 1) return colour;
    }
    return [255, 255, 255];
  };
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (!walker.currentNode.textContent.trim() || !element.checkVisibility()) continue;
    const [text, background] = [luminance(channels(getComputedStyle(element).color)), luminance(backgroundOf(element))];
    const ratio = (Math.max(text, background) + 0.05) / (Math.min(text, background) + 0.05);
    if (ratio < 4.5) found.push(`${walker.currentNode.textContent.trim().slice(0, 30)}: ${ratio.toFixed(2)}`);
  }
  return found;
}
