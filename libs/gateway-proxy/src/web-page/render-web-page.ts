import { createHash } from 'node:crypto';
import type { PageSettings } from './web-page-routes';

/** Where the page's modules find the packages that they import. */
const IMPORT_MAP = JSON.stringify({
  imports: {
    preact: './page/vendor/preact.js',
    'preact/hooks': './page/vendor/preact-hooks.js',
    'preact/jsx-runtime': './page/vendor/preact-jsx-runtime.js',
    uplot: './page/vendor/uplot.js',
  },
});

/** All addresses are relative, because a reverse proxy may serve the page under any path that ends with `/`. */
export function renderWebPage(settings: PageSettings): string {
  return `<!DOCTYPE html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>Antelope History</title>
    <link rel="icon" href="./page/icon.svg" type="image/svg+xml">
    <link rel="stylesheet" href="./page/vendor/uplot.css">
    <link rel="stylesheet" href="./page/style.css">
    <script type="importmap">${IMPORT_MAP}</script>
    <script type="module" src="./page/main.js"></script>
  </head>
  <body data-settings="${escapeAttribute(JSON.stringify(settings))}">
    <noscript>This page needs JavaScript. ${describeLinks(settings.links)}</noscript>
  </body>
</html>
`;
}

function describeLinks(links: string[]): string {
  return links.map((link) => `<a href=".${link}">${link}</a>`).join(' ');
}

function escapeAttribute(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** The policy allows the files of this listener, the import map by its hash, and requests to the API. */
export function webPageHeaders(api: PageSettings['api']): Record<string, string> {
  const importMap = `'sha256-${createHash('sha256').update(IMPORT_MAP).digest('base64')}'`;
  return {
    'content-security-policy': [
      "default-src 'none'",
      `script-src 'self' ${importMap}`,
      "style-src 'self'",
      "img-src 'self'",
      `connect-src 'self' ${describeApi(api)}`.trim(),
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ].join('; '),
    'cache-control': 'no-cache',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  };
}

/** A port stands for any host, because the page is reached under names that its server does not know. */
function describeApi(api: PageSettings['api']): string {
  if (api === 'same origin') return '';
  return 'url' in api ? new URL(api.url).origin : `http://*:${api.port} https://*:${api.port}`;
}
