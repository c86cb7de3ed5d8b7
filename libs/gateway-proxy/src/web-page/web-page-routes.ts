import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { RequestHandler } from 'express';
import { HistoryError } from '@antelope-history/schemas';
import { type HttpRoute, readServiceVersion } from '@antelope-history/app-runtime';
import { sendWholeFile } from '../send-whole-file';
import { renderFixedPage, renderWebPage, type WebPage } from './render-web-page';

/** What the page shows and where it gets the data. The page reads these settings from its own HTML. */
export interface PageSettings {
  /** The name of the chain, if the gateway serves several chains. */
  chain?: string;
  /** Whether it shows the state of the service, from `/status`. */
  status: boolean;
  /** Whether it shows accounts, keys, transactions and blocks, from the API. */
  explorer: boolean;
  /** Further paths of the same listener. */
  links: string[];
  /**
   * The address of the API: the origin of the page, a URL, or a port of the host that serves the page with the beginning of all
   * paths. `host`: the only address at which that port listens; a page of a loopback address uses it instead of its own.
   */
  api: 'same origin' | { url: string } | { port: number; path: string; host?: string };
  /** The path at which the API counts the rows of `get_actions`. */
  actionsPath: string;
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

/** A browser may keep these files forever, because their address contains a hash of their contents. */
const FOREVER = 'public, max-age=31536000, immutable';

/** The page at `/`, and its files below `/page/VERSION`: the page loads nothing from elsewhere. */
export function webPageRoutes(shown: Omit<PageSettings, 'version'>): HttpRoute[] {
  const settings: PageSettings = { ...shown, version: readServiceVersion() };
  return pageRoutes((files) => Promise.resolve(renderWebPage(settings, files)));
}

/** A page at `/` without scripts, in the style of the page. `render`: the HTML of its main part. */
export function fixedPageRoutes(render: () => Promise<string>): HttpRoute[] {
  return pageRoutes(async (files) => renderFixedPage(await render(), files));
}

function pageRoutes(render: (files: string) => Promise<WebPage>): HttpRoute[] {
  // The files are read at the first request for the page, not when the gateway starts.
  const files = new PageFiles();
  return [
    {
      endpoint: 'page',
      method: 'GET',
      path: '/',
      handlers: [
        endWithSlash,
        async (_request, response) => {
          const { html, headers } = await render(`./page/${files.version()}`);
          response.set(headers).type('html').send(html);
        },
      ],
    },
    { endpoint: 'page', method: 'GET', path: '/page/:version/*file', handlers: [sendFileOf(files)] },
  ];
}

/**
 * Redirects to the path with a slash at its end: the addresses in a page are relative, and would otherwise lead to the folder
 * above.
 */
const endWithSlash: RequestHandler = (request, response, next) => {
  const path = request.originalUrl.split('?')[0] ?? '/';
  if (path.endsWith('/') || !path.startsWith('/')) next();
  else response.redirect(308, `./${path.slice(path.lastIndexOf('/') + 1)}/`);
};

/** The files that the page loads. */
class PageFiles {
  private known: string | undefined;

  /** A hash of the contents of all files. */
  version(): string {
    if (this.known === undefined) {
      const hash = createHash('sha256');
      for (const file of [...listModules(MODULES), ...Object.values(FILES)]) hash.update(readFileSync(file));
      this.known = hash.digest('hex').slice(0, 12);
    }
    return this.known;
  }

  find(version: string, name: string): string | undefined {
    if (version !== this.version()) return undefined;
    const known = Object.hasOwn(FILES, name) ? FILES[name] : undefined;
    return known ?? (MODULE_NAME.test(name) ? path.join(MODULES, name) : undefined);
  }
}

function listModules(folder: string): string[] {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.js'));
  return names.sort().map((name) => path.join(folder, name));
}

function sendFileOf(files: PageFiles): RequestHandler {
  return (request, response, next) => {
    const name = [request.params['file'] ?? []].flat().join('/');
    const file = files.find(String(request.params['version']), name);
    const fail = (): void => next(new HistoryError('UNKNOWN_PATH', 'this path does not exist'));
    if (file === undefined) {
      fail();
      return;
    }
    response.set({ 'x-content-type-options': 'nosniff', 'cache-control': FOREVER });
    sendWholeFile(file, request, response, fail);
  };
}
