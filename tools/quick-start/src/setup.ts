import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { CommandLineError, StartError } from '@antelope-history/processes';
import { sampleFolder } from '@antelope-history/test-support/recordings';
import { HistoryError } from '@antelope-history/schemas';
import { lmdbChecks } from '@antelope-history/store-lmdb/check';
import { type Config, configFileSets, loadConfig, tryToListen } from '@antelope-history/app-runtime';
import type { CommandLine } from './command-line';

export const WORKSPACE = path.resolve(__dirname, '../../..');

/**
 * A recorded chain, which has an end, or the nodes of the service's configuration. `name` is shown to the user; `address` has the user
 * and password of a node, if there are any.
 */
export type Source =
  { type: 'recording'; folder: string; name: string } | { type: 'node'; address: string; name: string };

export interface Setup {
  source: Source;
  /** Command line and environment of the service; the URL of the replay is added later. */
  serviceArgs: string[];
  environment: NodeJS.ProcessEnv;
  /** The configuration as the service will read it. */
  config: Config;
}

/** The variables with which the quick start configures the service; they override the configuration file. */
export const SHIP_URLS = 'HISTORY_SHIP__URLS';
export const SHIP_SILENCE = 'HISTORY_SHIP__SILENCE_SECONDS';
const STORE_PATH = 'HISTORY_STORE__LMDB__PATH';
/** Its former name, which the service still reads. */
const FORMER_STORE_PATH = 'HISTORY_STORE__PATH';
export const GATEWAY_PORT = 'HISTORY_GATEWAY__PORT';
const GATEWAY_HOST = 'HISTORY_GATEWAY__HOST';
export const OPERATIONS_PORT = 'HISTORY_OPS__GATEWAY_PORT';
const DEFAULT_OPERATIONS_PORT = 8890;
const CHECK_LIMIT_MS = 30_000;

/**
 * Derives the set-up from a command line. Relative paths start at `cwd`. It opens nothing; a configuration that the service
 * would reject throws here.
 */
export function createSetup(options: CommandLine, environment: NodeJS.ProcessEnv, cwd: string): Setup {
  const configFile = findConfigFile(options.config, cwd);
  const serviceArgs = configFile === undefined ? [] : ['--config', configFile];
  const source = chooseSource(options, configFile, environment, cwd);
  const env = { ...environment };
  if (options.ship !== undefined) env[SHIP_URLS] = options.ship;
  if (options.port !== undefined) env[GATEWAY_PORT] = String(options.port);
  if (options.host !== undefined) env[GATEWAY_HOST] = options.host;
  if (options.opsPort !== undefined) env[OPERATIONS_PORT] = String(options.opsPort);
  if (options.data !== undefined) {
    env[STORE_PATH] = path.resolve(cwd, options.data);
    Reflect.deleteProperty(env, FORMER_STORE_PATH);
  } else if (configFile === undefined && env[FORMER_STORE_PATH] === undefined)
    env[STORE_PATH] ??= path.join(WORKSPACE, 'data', dataFolder(source));
  return { source, serviceArgs, environment: env, config: explained(() => loadConfig(env, { file: configFile })) };
}

/**
 * Rejects when the service could not write its data: before it starts, so that nothing is written beside the data of another
 * run, not even a log.
 */
export async function requireUsableData({ store }: Pick<Config, 'store'>): Promise<void> {
  if (store.kind !== 'lmdb') return;
  for (const { run } of lmdbChecks({ path: store.lmdb.path, access: 'write', chainId: undefined })) {
    const finding = await run(AbortSignal.timeout(CHECK_LIMIT_MS));
    if (finding.outcome === 'wrong') {
      throw new StartError(`${finding.what}. Change that, or name another directory: npm start -- --data DIR`);
    }
  }
}

/** Port of the gateway: the configured one, or a free one for 0. Rejects when no server can listen there. */
export async function requireFreePort(address: Pick<Config['gateway'], 'host' | 'port'>): Promise<number> {
  const listened = await tryToListen(address.host, address.port);
  if ('port' in listened) return listened.port;
  const { code } = listened;
  const change = 'Stop it, or choose another port: npm start -- --port 8889';
  if (code === 'EADDRINUSE') throw new StartError(`Port ${address.port}: another program listens there. ${change}`);
  if (code === 'EACCES') {
    throw new StartError(
      `Port ${address.port}: this user may not open it. Choose one from 1024 on: npm start -- --port 8888`,
    );
  }
  throw new StartError(
    `${address.host} is no address of this machine (${code}). Name one of its own with --host or gateway.host: ` +
      '127.0.0.1 for this machine only, 0.0.0.0 for all of its addresses.',
  );
}

/** Port of the status page: the configured one, else 8890, else one that is free now. */
export async function chooseOperationsPort({ host, gatewayPort }: Config['ops']): Promise<number> {
  if (gatewayPort) return gatewayPort;
  for (const port of [DEFAULT_OPERATIONS_PORT, 0]) {
    const listened = await tryToListen(host, port);
    if ('port' in listened) return listened.port;
  }
  return DEFAULT_OPERATIONS_PORT;
}

function findConfigFile(given: string | undefined, cwd: string): string | undefined {
  const file = path.resolve(cwd, given ?? 'config.json');
  return given !== undefined || existsSync(file) ? file : undefined;
}

function chooseSource(
  options: CommandLine,
  configFile: string | undefined,
  environment: NodeJS.ProcessEnv,
  cwd: string,
): Source {
  if (options.recording !== undefined) return recordingSource(path.resolve(cwd, options.recording));
  const url = options.ship ?? environment[SHIP_URLS];
  if (url !== undefined) return { type: 'node', address: url, name: withoutPassword(url) };
  if (configFile === undefined) return sampleSource();
  // Otherwise the service would dial the default of ship.urls, where nobody said that a node is.
  if (!explained(() => configFileSets(configFile, 'ship.urls'))) {
    throw new StartError(
      `${configFile} names no node: set ship.urls in it, or start with --ship URL or --recording DIR.`,
    );
  }
  const name = `the nodes in ${configFile}`;
  return { type: 'node', address: name, name };
}

/** Each of several addresses without its user and password. */
function withoutPassword(urls: string): string {
  return urls.replace(/\/\/[^/@,]*@/g, '//');
}

export function sampleSource(): Source & { type: 'recording' } {
  return { type: 'recording', folder: sampleFolder('leap-edge'), name: 'the sample chain' };
}

/** Throws a `CommandLineError` when the folder has no recording. */
export function recordingSource(folder: string): Source & { type: 'recording' } {
  for (const file of ['ship.abi.json', 'messages.ship.gz']) {
    if (!existsSync(path.join(folder, file))) {
      throw new CommandLineError(`--recording: ${folder} holds no ${file}. It takes a folder like samples/leap-edge.`);
    }
  }
  return { type: 'recording', folder, name: `the recording ${folder}` };
}

/** One directory per source, so that no store holds two chains. */
function dataFolder(source: Source): string {
  const [label, location] =
    source.type === 'recording' ? [path.basename(source.folder), source.folder] : ['node', source.address];
  const digest = createHash('sha256').update(location).digest('hex').slice(0, 8);
  return `${label.replace(/[^\w.-]/g, '_')}-${digest}`;
}

/** Turns an error that an operator can mend into a `StartError`. */
function explained<Value>(read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    if (error instanceof HistoryError) throw new StartError(error.message);
    throw error;
  }
}
