import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { WORKSPACE_ROOT } from './projects';

/** What an app contains: see `readAppContents` in `deploy/docker/app-contents.mjs`. */
export interface AppContents {
  projects: string[];
  dependencies: Record<string, string[]>;
  packages: string[];
  modules: string[];
  imports: string[];
}

/** What an app must not contain: package names, and beginnings of paths of projects and modules. */
export interface Prohibition {
  packages: string[];
  paths: string[];
}

const STORE = { packages: ['@elastic/elasticsearch', 'lmdb'], paths: ['libs/store', 'libs/open-store'] };
const BROKER = { packages: ['amqplib'], paths: ['libs/broker', 'libs/open-broker'] };
/** The socket to a chain node. */
const SOCKET = { packages: ['ws'], paths: ['libs/reader-stage'] };
const ENDPOINTS = { packages: ['http-proxy-middleware'], paths: ['libs/gateway-proxy', 'libs/run-api'] };
/** Writing needs the entry; the modules that both sides of a store share are allowed. */
const STORE_WRITER = {
  packages: [],
  paths: ['libs/open-store-writer', 'libs/store-elasticsearch/dist/writer.js', 'libs/store-lmdb/dist/writer.js'],
};
const STORE_READER = {
  packages: [],
  paths: ['libs/open-store-reader', 'libs/store-elasticsearch/dist/reader.js', 'libs/store-lmdb/dist/reader.js'],
};

/** By app; `standalone` composes everything. */
export const PROHIBITIONS: Record<string, Prohibition[]> = {
  reader: [STORE, ENDPOINTS],
  deserializer: [STORE, SOCKET, ENDPOINTS],
  indexer: [STORE_READER, SOCKET, ENDPOINTS],
  // Its own WebSocket is that of the stream.
  'history-api': [STORE_WRITER, BROKER, { ...SOCKET, packages: [] }],
  'chain-api': [STORE_WRITER, BROKER, SOCKET],
  'trace-api': [STORE_WRITER, BROKER, SOCKET],
  gateway: [STORE, BROKER, SOCKET],
  standalone: [],
};

/** The contents of every app of a built workspace, by the app's name. */
export function readAppContents(root = WORKSPACE_ROOT): Record<string, AppContents> {
  const script = path.join(WORKSPACE_ROOT, 'deploy/docker/app-contents.mjs');
  const output = execFileSync(process.execPath, [script, root], { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
  return JSON.parse(output) as Record<string, AppContents>;
}

/** The projects, modules and packages of an app that its prohibitions name. */
export function findProhibited({ projects, packages, modules }: AppContents, prohibitions: Prohibition[]): string[] {
  const names = packages.map((location) =>
    location.slice(location.lastIndexOf('node_modules/') + 'node_modules/'.length),
  );
  return prohibitions.flatMap((prohibition) => [
    ...names.filter((name) => prohibition.packages.includes(name)),
    ...[...projects, ...modules].filter((file) => prohibition.paths.some((start) => file.startsWith(start))),
  ]);
}
