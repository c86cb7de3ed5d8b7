import path from 'node:path';
import type { NextFunction, Request, Response } from 'express';
import getAbsoluteFSPath from 'swagger-ui-dist/absolute-path';
import { createOpenApiDocument } from '@antelope-history/openapi';
import { ACTIONS_BY_ROWS_PATH, ROUTES, STREAM } from '@antelope-history/routes';
import { HistoryError } from '@antelope-history/schemas';
import { type Config, type HttpRoute, readServiceVersion } from '@antelope-history/app-runtime';
import { sendWholeFile } from './send-whole-file';

/** The page may load only its own files and `data:` images, which the style sheet contains: nothing inline or remote. */
const PAGE_HEADERS = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

/** Files that are served unchanged from the package swagger-ui-dist. */
const ASSETS = ['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png'];
const START_SCRIPT = 'start.js';

/** Paths that the document describes only where the listener serves them. */
const OPTIONAL_PATHS = ['/', '/health', '/live', '/metrics', '/status'];

/** The paths of a gateway with `api.positions` of nodeos (select-positions.ts). */
const ROUTES_BY_NODEOS = {
  ...ROUTES,
  getActions: { ...ROUTES.getActions, path: ACTIONS_BY_ROWS_PATH },
  getActionsByPosition: { ...ROUTES.getActionsByPosition, path: ROUTES.getActions.path },
};

/**
 * The API documentation: `/openapi.json` for programs, `/docs` (Swagger UI without network access) for people. `served`: the
 * listener's own paths; the document leaves out the pages of other listeners. `positions`: what
 * `pos` of `get_actions` counts, which decides the endpoint that the document describes at that path.
 */
export function docsRoutes(served: string[], positions: Config['api']['positions']): HttpRoute[] {
  const { paths, ...rest } = createOpenApiDocument({
    version: readServiceVersion(),
    routes: positions === 'rows' ? ROUTES : ROUTES_BY_NODEOS,
    streams: [STREAM],
  });
  const isServed = (path: string): boolean => served.includes(path) || !OPTIONAL_PATHS.includes(path);
  const shown = { ...rest, paths: Object.fromEntries(Object.entries(paths).filter(([path]) => isServed(path))) };
  // Serialized once: it is the same for every request.
  const document = JSON.stringify(shown);
  return [
    {
      endpoint: 'openapi',
      method: 'GET',
      path: '/openapi.json',
      handlers: [(_request, response) => void response.type('json').send(document)],
    },
    { endpoint: 'docs', method: 'GET', path: '/docs', handlers: [sendPage] },
    { endpoint: 'docs', method: 'GET', path: '/docs/:file', handlers: [sendAsset] },
  ];
}

function sendPage(request: Request, response: Response): void {
  response
    .set(PAGE_HEADERS)
    .type('html')
    .send(renderPage(request.path.endsWith('/') ? '..' : '.'));
}

/** `root`: the gateway's root relative to the page, because a reverse proxy may serve it under any path. */
function renderPage(root: string): string {
  return `<!DOCTYPE html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Antelope History</title>
    <link rel="icon" href="${root}/docs/favicon-32x32.png">
    <link rel="stylesheet" href="${root}/docs/swagger-ui.css">
  </head>
  <body>
    <div id="docs" data-document="${root}/openapi.json"></div>
    <script src="${root}/docs/swagger-ui-bundle.js"></script>
    <script src="${root}/docs/${START_SCRIPT}"></script>
  </body>
</html>
`;
}

/** A null `validatorUrl` keeps Swagger UI from calling a validator on the internet. */
const START = `SwaggerUIBundle({
  url: document.getElementById('docs').dataset.document,
  dom_id: '#docs',
  deepLinking: true,
  tryItOutEnabled: true,
  validatorUrl: null,
});
`;

function sendAsset(request: Request, response: Response, next: NextFunction): void {
  const file = String(request.params['file']);
  response.set(PAGE_HEADERS);
  if (file === START_SCRIPT) response.type('js').send(START);
  else if (ASSETS.includes(file)) sendWholeFile(path.join(getAbsoluteFSPath(), file), request, response, next);
  else throw new HistoryError('UNKNOWN_PATH', 'this path does not exist');
}
