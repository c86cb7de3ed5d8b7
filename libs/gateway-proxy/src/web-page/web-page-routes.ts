import path from 'node:path';
import type { RequestHandler } from 'express';
import { HistoryError } from '@antelope-history/schemas';
import { type HttpRoute, readServiceVersion } from '@antelope-history/app-runtime';
import { renderWebPage, webPageHeaders } from './render-web-page';

/** What the page shows and where it gets it. It reads this from its own HTML. */
export interface PageSettings {
  /** Whether it shows the state of the service, from `/status`. */
  status: boolean;
  /** Whether it shows accounts, keys, transactions and blocks, from the API. */
  explorer: boolean;
  /** Further paths of the same listener. */
  links: string[];
  /** The address of the API: that of the page, a URL, or a port of the host that serves the page. */
  api: 'same origin' | { url: string } | { port: number };
  version: string;
}

/** The compiled modules of the page; browsers load them as they are. */
const MODULES = path.dirname(require.resolve('@antelope-history/web-page/modules/main.js'));
const FILES: Record<string, string> = {
  'style.css': require.resolve('@antelope-history/web-page/style.css'),
  'icon.svg': require.resolve('@antelope-history/web-page/icon.svg'),
  'vendor/preact.js': packageFile('preact/package.json', 'dist/preact.mjs'),
  'vendor/preact-hooks.js': packageFile('preact/package.json', 'hooks/dist/hooks.mjs'),
  'vendor/preact-jsx-runtime.js': packageFile('preact/package.json', 'jsx-runtime/dist/jsxRuntime.mjs'),
  'vendor/uplot.js': packageFile('uplot/package.json', 'dist/uPlot.esm.js'),
  'vendor/uplot.css': packageFile('uplot/package.json', 'dist/uPlot.min.css'),
};
const MODULE_NAME = /^([a-z][a-z-]*\/)?[a-z][a-z-]*\.js$/;

/** A package's module for browsers, which `require.resolve` does not find. */
function packageFile(packageJson: string, file: string): string {
  return path.join(path.dirname(require.resolve(packageJson)), file);
}

/** The page at `/`, and its files below `/page`: the page loads nothing from elsewhere. */
export function webPageRoutes(shown: Omit<PageSettings, 'version'>): HttpRoute[] {
  const settings: PageSettings = { ...shown, version: readServiceVersion() };
  const [html, headers] = [renderWebPage(settings), webPageHeaders(settings.api)];
  return [
    {
      endpoint: 'page',
      method: 'GET',
      path: '/',
      handlers: [(_request, response) => void response.set(headers).type('html').send(html)],
    },
    { endpoint: 'page', method: 'GET', path: '/page/*file', handlers: [sendFile] },
  ];
}

const sendFile: RequestHandler = (request, response, next) => {
  const name = [request.params['file'] ?? []].flat().join('/');
  const known = Object.hasOwn(FILES, name) ? FILES[name] : undefined;
  const file = known ?? (MODULE_NAME.test(name) ? path.join(MODULES, name) : undefined);
  const fail = (): void => next(new HistoryError('UNKNOWN_PATH', 'this path does not exist'));
  if (file === undefined) {
    fail();
    return;
  }
  response.set('x-content-type-options', 'nosniff').sendFile(file, (error?: Error) => {
    if (error && !response.headersSent) fail();
  });
};
