// Drives the page on a running server with any trace: node test/server.mjs http://127.0.0.1:9001/
// Every example whose table has rows must run, and be drawn or state what it lacks.

import { expect, text, withBrowser } from './browser.mjs';

const [address] = process.argv.slice(2);
if (!address) {
  console.log('usage: node test/server.mjs ADDRESS');
  process.exit(2);
}

async function open(page) {
  await page.goto(address);
  await page.waitForFunction(() => document.title !== 'tpq');
}

/** Runs a statement that the page was told to run, and fails on its error. */
async function settled(page) {
  await page.waitForFunction(() => / in |error/.test(document.getElementById('status').textContent), { timeout: 120_000 });
  const error = await page.$eval('#error', (element) => (element.hidden ? '' : element.textContent));
  if (error) throw new Error(error);
}

await withBrowser([
  ['the overview has health, files and tables', async (page) => {
    await open(page);
    expect(await text(page, '#health-badge'), /lost|unknown/i);
    for (const heading of ['Health', 'Files', 'Machines', 'Clocks', 'Largest tables']) expect(await text(page, '#view'), heading);
    expect(await text(page, '#catalog-list'), 'trace_bounds');
  }],

  ['every example runs', async (page) => {
    await open(page);
    const examples = await page.$$eval('#examples option:not([disabled])', (all) => all.map((option) => [option.value, option.textContent]));
    for (const [value, title] of examples) {
      await page.evaluate(() => { document.getElementById('status').textContent = ''; });
      await page.select('#examples', value);
      await settled(page);
      await page.waitForFunction(() => document.querySelector('#view .chart, #view .empty, #view table'));
      console.log(`        ${title}: ${await text(page, '#status')}; ${(await page.$eval('#view', (view) => view.querySelector('figcaption, caption, .empty, .result-foot span')?.textContent ?? ''))}`);
    }
  }],

  ['rows of every table are shown', async (page) => {
    await open(page);
    const names = await page.$$eval('#catalog-list > .relation > summary .name', (all) => all.map((name) => name.textContent));
    for (const name of names) {
      await page.evaluate(() => { document.getElementById('status').textContent = ''; });
      await page.goto(`${address}#${new URLSearchParams({ sql: `SELECT * FROM ${name} LIMIT 5`, view: 'table' })}`);
      await page.waitForFunction((name) => document.querySelector('.cm-content').textContent.includes(name), {}, name);
      await settled(page);
    }
    console.log(`        ${names.length} tables`);
  }],
]);
