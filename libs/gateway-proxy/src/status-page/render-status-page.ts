import { createHash } from 'node:crypto';
import type { HealthResponse, HealthStatus } from '@antelope-history/schemas';
import { ICON, SCRIPT, STYLE } from './status-page-assets';

type Component = HealthResponse['components'][string];

/** The policy allows only the script and the style of this page, by hash, and requests to the gateway itself. */
export const STATUS_PAGE_HEADERS = {
  'content-security-policy': [
    "default-src 'none'",
    `script-src '${hashOf(SCRIPT)}'`,
    `style-src '${hashOf(STYLE)}'`,
    'img-src data:',
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

function hashOf(content: string): string {
  return `sha256-${createHash('sha256').update(content).digest('base64')}`;
}

const HEADLINES: Record<HealthStatus, string> = {
  ok: 'Everything is running',
  catching_up: 'Catching up with the chain',
  degraded: 'Responding, but a component is unavailable',
  down: 'Queries cannot be answered',
};

/** The display names of the components of /health, in display order. */
const NAMES: Record<string, string> = {
  reader: 'Reader',
  deserializer: 'Deserializer',
  indexer: 'Indexer',
  history_api: 'History API',
  chain_api: 'Chain API',
  trace_api: 'Trace API',
  gateway: 'Gateway',
  key_value: 'Key-value store',
  ship: 'State history of the node',
};

const LINKS: Record<string, string> = {
  '/docs': 'Documentation',
  '/openapi.json': 'OpenAPI',
  '/metrics': 'Metrics',
  '/health': 'Health',
};

/**
 * The status page: /health for people. `SCRIPT` updates the elements with an id; without JavaScript the page reloads itself.
 * `served`: the paths to which the page may link.
 */
export function renderStatusPage(health: HealthResponse, served: string[], at: Date): string {
  const { status, version, chain_id: chainId } = health;
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Antelope History</title>
<link rel="icon" href="${ICON}">
<style>${STYLE}</style>
<noscript><meta http-equiv="refresh" content="10"></noscript>
</head>
<body>
<header>
<p class="name">Antelope History</p>
<div role="status"><h1 id="status" class="${status}">${HEADLINES[status]}</h1></div>
</header>
<main>
<section aria-labelledby="chain-name">
<h2 id="chain-name">Chain</h2>
<div id="progress" class="progress">${renderProgress(health)}</div>
<dl class="figures">
${renderFigure('head', 'Head', formatNumber(health.head_block_num))}
${renderFigure('committed', 'Committed', formatNumber(health.committed_block_num))}
${renderFigure('irreversible', 'Last irreversible', formatNumber(health.last_irreversible_block_num))}
${renderFigure('lag', 'Blocks behind', formatNumber(health.lag_blocks))}
${renderFigure('age', 'Age of the newest block', formatAge(health.committed_age_seconds))}
</dl>
<p class="chain-id"><span>Chain id</span> <code id="chain-id">${escapeHtml(chainId ?? 'not known yet')}</code></p>
<div id="ranges">${renderRanges(health.incomplete_ranges)}</div>
</section>
<section aria-labelledby="components-name">
<h2 id="components-name">Components</h2>
<ul id="components" class="components">${renderComponents(health.components)}</ul>
</section>
</main>
<footer>
<nav aria-label="Service">
${renderLinks(served)}
</nav>
<p>Version <span id="version">${escapeHtml(version)}</span> · as of <time id="at">${formatTime(at)}</time><span id="stale" hidden> · no response since</span></p>
</footer>
<script>${SCRIPT}</script>
</body>
</html>
`;
}

function renderLinks(served: string[]): string {
  return Object.entries(LINKS)
    .filter(([path]) => served.includes(path))
    .map(([path, name]) => `<a href=".${path}">${name}</a>`)
    .join('\n');
}

/** The share of the chain that is committed; drawn as SVG because the policy forbids inline styles. */
function renderProgress({ committed_block_num: committed, head_block_num: head }: HealthResponse): string {
  if (committed === null || !head) return '<p>no block is committed yet</p>';
  const percent = Number(((Math.min(committed, head) / head) * 100).toFixed(2));
  return (
    `<p>${percent} % is committed</p><svg viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">` +
    `<rect class="whole" width="100" height="1"/><rect class="done" width="${percent}" height="1"/></svg>`
  );
}

function renderFigure(id: string, name: string, value: string): string {
  return `<div><dt>${name}</dt><dd id="${id}">${value}</dd></div>`;
}

function renderRanges(ranges: HealthResponse['incomplete_ranges']): string {
  if (ranges.length === 0) return '';
  const shown = ranges
    .slice(0, 20)
    .map(({ first_block_num, last_block_num }) => `${formatNumber(first_block_num)} – ${formatNumber(last_block_num)}`);
  const rest = ranges.length > shown.length ? ` and ${ranges.length - shown.length} more` : '';
  return `<p class="ranges">Incomplete ranges: ${shown.join(', ')}${rest}</p>`;
}

function renderComponents(components: HealthResponse['components']): string {
  const order = Object.keys(NAMES);
  const rank = (name: string): number => (order.includes(name) ? order.indexOf(name) : order.length);
  return Object.entries(components)
    .sort(([left], [right]) => rank(left) - rank(right))
    .map(([name, component]) => renderComponent(name, component))
    .join('');
}

function renderComponent(name: string, component: Component): string {
  const { status } = component;
  return (
    `<li class="${status}"><span class="component">${escapeHtml(NAMES[name] ?? toTitle(name))}</span>` +
    `<span class="work">${formatWork(component)}</span>` +
    `<span class="state">${status.replace('_', ' ')}</span></li>`
  );
}

function formatWork({ count, blocks_per_second: blocks, requests_per_second: requests }: Component): string {
  const facts: string[] = [];
  if (count !== undefined) facts.push(`${formatNumber(count)} running`);
  if (blocks !== undefined) facts.push(`${formatNumber(blocks)} blocks/s`);
  if (requests !== undefined) facts.push(`${formatNumber(requests)} requests/s`);
  return facts.join(' · ');
}

function formatNumber(value: number | null): string {
  return value === null ? '–' : value.toLocaleString('en-US');
}

/** The units of an age, each used from one and a half of it on. */
const AGE_UNITS: [string, number][] = [
  ['days', 86_400],
  ['hours', 3_600],
  ['minutes', 60],
];

function formatAge(seconds: number | null): string {
  if (seconds === null) return '–';
  const [unit, size] = AGE_UNITS.find(([, length]) => seconds >= length * 1.5) ?? ['seconds', 1];
  return `${formatNumber(Math.max(0, Math.round(seconds / size)))} ${unit}`;
}

function formatTime(at: Date): string {
  return `${at.toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

function toTitle(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1).replaceAll('_', ' ');
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
