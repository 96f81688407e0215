// The browser for the tests of the pages.

import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const PATHS = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/**
 * Runs tests with a browser; prints why not where there is none. A test is a name and a function,
 * which throws when it fails. The exit status is 1 when any failed.
 */
export async function withBrowser(tests) {
  const executablePath = PATHS.find((path) => path && existsSync(path));
  if (!executablePath) {
    console.log('skipped: no Chromium is installed; CHROMIUM can name one');
    return;
  }
  const { default: puppeteer } = await import('puppeteer-core');
  const userDataDir = mkdtempSync(join(tmpdir(), 'tpq-web-'));
  const args = ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--no-first-run'];
  const browser = await puppeteer.launch({ executablePath, headless: true, userDataDir, args });
  let failed = 0;
  for (const [name, run] of tests) {
    const page = await browser.newPage();
    const errors = [];
    page.on('pageerror', (error) => errors.push(error.message));
    page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
    await page.setViewport({ width: 1280, height: 800 });
    try {
      await run(page);
      if (errors.length > 0) throw new Error(`errors in the page: ${errors.join('; ')}`);
      console.log(`ok      ${name}`);
    } catch (error) {
      failed += 1;
      console.log(`FAILED  ${name}\n        ${error.stack.split('\n').slice(0, 4).join('\n        ')}`);
      if (process.env.SHOTS) await page.screenshot({ path: join(process.env.SHOTS, `failed ${name}.png`) });
    }
    await page.close();
  }
  await browser.close();
  rmSync(userDataDir, { recursive: true, force: true });
  console.log(`${tests.length - failed} passed, ${failed} failed`);
  process.exitCode = failed > 0 ? 1 : 0;
}

/** The text of the first element of a selector. */
export const text = (page, selector) => page.$eval(selector, (element) => element.textContent);

/** Lets scripts of a test run in a page; before the page is opened. */
export const allowScripts = (page) => page.setBypassCSP(true);

/** What axe finds that hinders people who use a page by the keyboard or a screen reader. */
export async function hindrances(page) {
  await page.evaluate(readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8'));
  return page.evaluate(async () => {
    const { violations } = await globalThis.axe.run(document);
    return violations.map(({ id, nodes }) => `${id}: ${nodes[0].html.slice(0, 120)}`);
  });
}

/** Fails unless a text contains another. */
export function expect(found, wanted) {
  const matches = wanted instanceof RegExp ? wanted.test(found) : found.includes(wanted);
  if (!matches) throw new Error(`expected ${wanted} in: ${found}`);
}

/** Fails unless two values are equal. */
export function expectEqual(found, wanted) {
  const [a, b] = [JSON.stringify(found), JSON.stringify(wanted)];
  if (a !== b) throw new Error(`expected ${b}, found ${a}`);
}
