import { createHash } from 'node:crypto';
import type { PageSettings } from './web-page-routes';

/** A page and the headers of its response, which contain its content security policy. */
export interface WebPage {
  html: string;
  headers: Record<string, string>;
}

/**
 * `files`: where the files of the page are, relative to it. All addresses are relative, because a reverse proxy may serve the page
 * under any path that ends with `/`.
 */
export function renderWebPage(settings: PageSettings, files: string): WebPage {
  const importMap = JSON.stringify({
    imports: {
      preact: `${files}/vendor/preact.js`,
      'preact/hooks': `${files}/vendor/preact-hooks.js`,
      'preact/jsx-runtime': `${files}/vendor/preact-jsx-runtime.js`,
      uplot: `${files}/vendor/uplot.js`,
    },
  });
  const html = `<!DOCTYPE html>
<html lang="en">
  <head>
    ${headOf(files)}
    <link rel="stylesheet" href="${files}/vendor/uplot.css">
    <script type="importmap">${importMap}</script>
    <script type="module" src="${files}/main.js"></script>
  </head>
  <body data-settings="${escapeAttribute(JSON.stringify(settings))}">
    <noscript>This page needs JavaScript. ${describeLinks(settings.links)}</noscript>
  </body>
</html>
`;
  const digest = createHash('sha256').update(importMap).digest('base64');
  return { html, headers: headersFor(`'self' 'sha256-${digest}'`, `'self' ${describeApi(settings.api)}`.trim()) };
}

/**
 * A page without scripts. `main`: the HTML of its main part. It is not escaped, so it must not contain text of clients or
 * contracts.
 */
export function renderFixedPage(main: string, files: string): WebPage {
  const html = `<!DOCTYPE html>
<html lang="en">
  <head>
    ${headOf(files)}
  </head>
  <body>
    <header><span class="brand"><img src="${files}/icon.svg" alt="" width="28" height="28">Antelope History</span></header>
    <main>${main}</main>
  </body>
</html>
`;
  return { html, headers: headersFor("'none'", "'none'") };
}

function headOf(files: string): string {
  return `<meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>Antelope History</title>
    <link rel="icon" href="${files}/icon.svg" type="image/svg+xml">
    <link rel="stylesheet" href="${files}/style.css">`;
}

function describeLinks(links: string[]): string {
  return links.map((link) => `<a href=".${link}">${link}</a>`).join(' ');
}

function escapeAttribute(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}

/**
 * The policy allows style sheets and images of this listener only. `scripts`, `requests`: from where scripts may be loaded, and
 * to where requests may be sent.
 */
function headersFor(scripts: string, requests: string): Record<string, string> {
  return {
    'content-security-policy': [
      "default-src 'none'",
      `script-src ${scripts}`,
      "style-src 'self'",
      "img-src 'self'",
      `connect-src ${requests}`,
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ].join('; '),
    'cache-control': 'no-cache',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  };
}

/** For a port, the policy allows any host, because the server does not know under which names the page is reached. */
function describeApi(api: PageSettings['api']): string {
  if (api === 'same origin') return '';
  return 'url' in api ? new URL(api.url).origin : `http://*:${api.port} https://*:${api.port}`;
}
