// Opens reports in a browser, from files: node test/report.mjs [REPORT.html…]
// Reports that are named are opened as well, and may have no errors.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { emptyTrace, page as htmlOf, traceData } from '../dev/sample_report.mjs';
import { allowScripts, expect, expectEqual, hindrances, text, withBrowser } from './browser.mjs';

const folder = mkdtempSync(join(tmpdir(), 'tpq-report-'));

/** Opens a report of traces and waits until its charts are drawn. */
async function open(page, traces) {
  const path = join(folder, 'report.html');
  writeFileSync(path, htmlOf(traces));
  await openFile(page, path);
}

async function openFile(page, path) {
  await page.goto(pathToFileURL(path).href);
  await page.waitForSelector('footer');
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
}

const section = (page, id) => text(page, `#${id}`);

await withBrowser([
  ['a report of one trace draws every section', async (page) => {
    await open(page, [traceData('sample.pftrace')]);
    expect(await section(page, 'health'), 'was overwritten');
    expect(await section(page, 'threads'), 'the largest is renderer');
    expect(await section(page, 'run-queue'), 'Half of the waits for a CPU end within 33 µs');
    expect(await section(page, 'slices'), 'Load page');
    expect(await section(page, 'flame-graph'), 'Time in slices of threads by their path, 100 ms in all');
    expect(await section(page, 'counters'), '9,000 values, drawn with 400, in kHz');
    expectEqual(await page.$$eval('#counters canvas', (all) => all.length), 2);
    expectEqual(await page.title(), 'sample.pftrace – trace report');
  }],

  ['two traces are side by side', async (page) => {
    await open(page, [traceData('before.pftrace'), traceData('after.pftrace', 1.4)]);
    expect(await section(page, 'threads'), '+40 %');
    expect(await section(page, 'run-queue'), 'after.pftrace: half of the waits');
    const sides = await page.$$eval('#flame-graph .side', (all) => all.map((side) => side.getBoundingClientRect().top));
    expectEqual(sides[0], sides[1]);
  }],

  ['an empty section states what the trace lacks', async (page) => {
    await open(page, [emptyTrace('empty.pftrace')]);
    expect(await section(page, 'threads'), 'The trace has no scheduling events.');
    expect(await section(page, 'counters'), 'The trace has no counter that changes.');
    expectEqual(await page.$$eval('svg, canvas, .block', (all) => all.length), 0);
    await open(page, [traceData('a'), emptyTrace('b')]);
    expect(await section(page, 'run-queue'), 'b: The trace has no scheduling events.');
  }],

  ['nothing hinders people with a keyboard or a screen reader', async (page) => {
    await allowScripts(page);
    for (const traces of [[traceData('a')], [traceData('a'), emptyTrace('b')], [traceData('a'), traceData('b', 2)]]) {
      await open(page, traces);
      expectEqual(await hindrances(page), []);
    }
  }],

  ['names cannot run scripts, and nothing is loaded', async (page) => {
    const requests = [];
    page.on('request', (request) => requests.push(request.url()));
    await open(page, [traceData('</title><img src=x onerror=alert(1)>')]);
    expect(await section(page, 'slices'), '</script><script>');
    expect(await page.title(), '</title>');
    expectEqual(requests.filter((url) => !url.startsWith('file:')).length, 0);
  }],

  ...process.argv.slice(2).map((path) => [`${path} has no errors`, (page) => openFile(page, resolve(path))]),
]);
rmSync(folder, { recursive: true, force: true });
