// Serves the page for developing it, and builds it before each load.
//
//   npm run dev                                 an invented trace
//   npm run dev -- TRACE                        a trace, by ../target/debug/tpq or TPQ
//
// PORT chooses the port; 8901 without it.

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import * as sample from './sample.mjs';
import { answersOf } from './tpq.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** Starts the server; the answers are those of an invented trace unless others are given. */
export function serve({ port = 0, rebuild = false, answers = { query: sample.answer, overview: () => sample.overview } } = {}) {
  const server = createServer(async (request, response) => {
    const send = (type, body) => response.writeHead(200, { 'content-type': type }).end(body);
    const path = request.url.split('?')[0];
    if (path === '/') {
      if (rebuild) execFileSync('node', [join(root, 'build.mjs')], { stdio: 'inherit' });
      return send('text/html; charset=utf-8', readFileSync(join(root, 'dist/page.html')));
    }
    if (path === '/api/overview') return send('application/json', JSON.stringify(await answers.overview()));
    if (path === '/api/query' && request.method === 'POST') {
      let body = '';
      for await (const part of request) body += part;
      return send('application/json', JSON.stringify(await answers.query(JSON.parse(body))));
    }
    return response.writeHead(404).end('not found');
  });
  return new Promise((resolve) => {
    server.listen(port, '127.0.0.1', () => resolve({ server, port: server.address().port }));
  });
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [trace] = process.argv.slice(2);
  const binary = process.env.TPQ ?? join(root, '../target/debug/tpq');
  const answers = trace ? answersOf(binary, trace) : undefined;
  const { port } = await serve({ port: Number(process.env.PORT ?? 8901), rebuild: true, answers });
  console.log(`http://127.0.0.1:${port}/`);
}
