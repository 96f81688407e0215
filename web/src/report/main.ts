/** The page that `tpq report` writes: its data is in the page itself. */

import '../theme.css';
import '../charts/charts.css';
import './report.css';
import { byId, h } from '../dom';
import { badge } from '../health';
import type { ReportData } from './data';
import { SECTIONS } from './sections';

function draw({ version, traces }: ReportData): void {
  const main = byId('report');
  const names = traces.map(({ name }) => name).reverse().join(' against ');
  document.title = `${names} – trace report`;
  main.classList.toggle('compared', traces.length > 1);
  const contents = h('nav', { class: 'contents', 'aria-label': 'Sections' },
    ...SECTIONS.map(({ id, title }) => h('a', { href: `#${id}` }, title)));
  const sections = SECTIONS.map(({ id, title, draw }) =>
    h('section', { id, 'aria-labelledby': `${id}-title` }, h('h2', { id: `${id}-title` }, title), draw(traces)));
  main.replaceChildren(
    h('h1', {}, names),
    h('div', { class: 'report-head' }, ...traces.flatMap(({ name, health }) => [traces.length > 1 && h('span', {}, name), badge(health)])),
    contents, ...sections,
    h('footer', {}, `Written by tpq ${version}. This file needs no network.`));
}

draw(JSON.parse(byId('report-data').textContent ?? '') as ReportData);
