// Builds dist/page.html and dist/report.html: one file each, with all scripts and styles inside.
//
//   node build.mjs           writes dist/
//   node build.mjs --check   fails when dist/ is not what the sources build

import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = dirname(fileURLToPath(import.meta.url));

/** The pages: their folder in src/, and what they may connect to. */
const PAGES = [
  { name: 'page', connect: "'self'" },
  { name: 'report', connect: "'none'" },
];

/** Bundles the script and the styles of a page. */
async function bundle(name) {
  const result = await build({
    absWorkingDir: root,
    entryPoints: [`src/${name}/main.ts`],
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    format: 'iife',
    target: 'es2022',
    charset: 'utf8',
    legalComments: 'none',
    outdir: 'dist',
    logLevel: 'warning',
  });
  const text = (ending) => result.outputFiles.find((file) => file.path.endsWith(ending))?.text ?? '';
  return { script: text('.js').trim(), style: text('.css').trim(), inputs: Object.keys(result.metafile.inputs) };
}

/** The folders of the packages that a bundle contains. */
function packages(inputs) {
  const folders = new Set();
  for (const input of inputs) {
    const found = input.match(/^node_modules\/(@[^/]+\/)?[^/]+/);
    if (found) folders.add(found[0]);
  }
  return [...folders].sort();
}

/** The licence notices of packages; equal texts are written once. */
function notices(folders) {
  const byText = new Map();
  for (const folder of folders) {
    const manifest = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
    const file = readdirSync(join(root, folder)).find((name) => /^licen[cs]e/i.test(name));
    if (!file) throw new Error(`${folder} has no licence file`);
    const text = readFileSync(join(root, folder, file), 'utf8').replaceAll('\r\n', '\n').trim();
    const names = byText.get(text) ?? [];
    byText.set(text, [...names, `${manifest.name} ${manifest.version}`]);
  }
  return [...byText].map(([text, names]) => `${names.join(', ')}\n\n${text}\n`).join('\n----\n\n');
}

/** Puts script and styles into the template of a page. */
function assemble(template, { script, style }, connect, licences) {
  // Within a script element, only this sequence could end it.
  const safe = script.replaceAll('</script', '<\\/script');
  const hash = createHash('sha256').update(safe).digest('base64');
  const policy = `default-src 'none'; script-src 'sha256-${hash}'; style-src 'unsafe-inline'; `
    + `img-src data:; connect-src ${connect}; base-uri 'none'; form-action 'none'`;
  const values = { policy, style, script: safe, licences: licences.replaceAll('--', '- -') };
  return template.replace(/<!-- ?insert (\w+) ?-->|%insert (\w+)%/g, (_, a, b) => values[a ?? b]);
}

const files = new Map();
const all = new Set();
for (const { name, connect } of PAGES) {
  const bundled = await bundle(name);
  const used = packages(bundled.inputs);
  used.forEach((folder) => all.add(folder));
  const template = readFileSync(join(root, `src/${name}/${name}.html`), 'utf8');
  files.set(`dist/${name}.html`, assemble(template, bundled, connect, notices(used)));
}
files.set('dist/licences.txt', notices([...all].sort()));

const check = process.argv.includes('--check');
const differ = [];
for (const [path, text] of files) {
  const target = join(root, path);
  if (existsSync(target) && readFileSync(target, 'utf8') === text) continue;
  differ.push(path);
  if (!check) {
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, text);
  }
}
for (const path of files.keys()) {
  const bytes = readFileSync(join(root, path)).length;
  console.log(`${relative(root, join(root, path))} ${(bytes / 1024).toFixed(0)} KiB`);
}
if (check && differ.length > 0) {
  console.error(`not what the sources build: ${differ.join(', ')}; run npm run build`);
  process.exit(1);
}
