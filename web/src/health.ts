/** The findings of `tpq check`, as the server and the report state them. */

import { h } from './dom';
import { counted } from './format';

export type HealthState = 'lost' | 'unknown' | 'risk' | 'complete';

export interface Finding {
  severity: 'data_loss' | 'notice' | 'error';
  /** What was lost; several sentences for losses of one kind. */
  what: string[];
  /** When and where. */
  location?: string;
  /** What to change for the next recording. */
  remedy?: string;
}

export interface Health {
  state: HealthState;
  headline: string;
  findings: Finding[];
}

const SYMBOLS: Record<HealthState, string> = { lost: '✗', unknown: '?', risk: '!', complete: '✓' };
const SEVERITIES: Record<Finding['severity'], [string, string]> = {
  data_loss: ['✗', 'Data loss'],
  notice: ['!', 'Notice'],
  error: ['!', 'Not understood'],
};

/** The state in a few words, for a badge. */
export function badge(health: Health): HTMLElement {
  const lost = health.findings.filter((finding) => finding.severity === 'data_loss').length;
  const text = health.state === 'lost' ? `Data lost: ${counted(lost, 'finding')}`
    : health.state === 'complete' ? 'No data lost'
    : health.state === 'risk' ? 'No data lost, with notices' : 'Losses unknown';
  return h('span', { class: `badge ${health.state}` }, h('span', { 'aria-hidden': 'true' }, `${SYMBOLS[health.state]} `), text);
}

/** The headline and all findings. */
export function healthSection(health: Health): HTMLElement {
  const items = health.findings.map((finding) => {
    const [symbol, label] = SEVERITIES[finding.severity];
    return h('li', { class: `finding ${finding.severity}` },
      h('span', { class: 'symbol', role: 'img', 'aria-label': label }, symbol),
      h('div', {},
        ...finding.what.map((what) => h('p', {}, what)),
        finding.location && h('p', { class: 'dim' }, finding.location),
        finding.remedy && h('p', { class: 'remedy' }, h('span', { role: 'img', 'aria-label': 'Advice' }, '→'), ' ', finding.remedy)));
  });
  return h('div', {},
    h('p', { class: `headline ${health.state}` }, `${SYMBOLS[health.state]} ${health.headline}`),
    items.length > 0 && h('ul', { class: 'findings' }, ...items));
}
