import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import path from 'node:path';
import { sampleFolder } from '@antelope-history/test-support/recordings';
import { HistoryError } from '@antelope-history/schemas';
import { type Config, loadConfig } from '@antelope-history/service';
import { type CommandLine, QuickStartError } from './command-line';

export const WORKSPACE = path.resolve(__dirname, '../../..');

/** A recorded chain, which has an end, or nodes as the service is configured for them. */
export type Source = { kind: 'recording'; folder: string; name: string } | { kind: 'node'; name: string };

export interface Setup {
  source: Source;
  /** Command line and environment of the service; the replay adds where it listens. */
  serviceArgs: string[];
  environment: NodeJS.ProcessEnv;
  /** As the service will read it. */
  config: Config;
}

/** The variables by which the quick start configures the service; they win over the configuration file. */
export const SHIP_URLS = 'HISTORY_SHIP__URLS';
const STORE_PATH = 'HISTORY_STORE__LMDB__PATH';
/** Its former name, which the service still reads. */
const FORMER_STORE_PATH = 'HISTORY_STORE__PATH';
const GATEWAY_PORT = 'HISTORY_GATEWAY__PORT';
const GATEWAY_HOST = 'HISTORY_GATEWAY__HOST';
export const OPERATIONS_PORT = 'HISTORY_OPS__GATEWAY_PORT';
const DEFAULT_OPERATIONS_PORT = 8890;

/**
 * Works out what to start. Relative paths count from `cwd`. Nothing is opened yet; a configuration that the service
 * would refuse is refused here.
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
  return { source, serviceArgs, environment: env, config: readConfig(serviceArgs, env) };
}

/** Rejects when the gateway's port is taken. */
export async function requireFreePort(address: Pick<Config['gateway'], 'host' | 'port'>): Promise<void> {
  const { code } = await tryToListen(address);
  if (code === undefined) return;
  const why = code === 'EADDRINUSE' ? 'another program listens there' : `it can not be had (${code})`;
  throw new QuickStartError(`Port ${address.port}: ${why}. Stop it, or choose another port: npm start -- --port 8889`);
}

/** Where the status page is: as configured, else at the usual port, else at one that is free now. */
export async function chooseOperationsPort({ host, gatewayPort }: Config['ops']): Promise<number> {
  if (gatewayPort) return gatewayPort;
  const { port: usual } = await tryToListen({ host, port: DEFAULT_OPERATIONS_PORT });
  return usual ?? (await tryToListen({ host, port: 0 })).port ?? DEFAULT_OPERATIONS_PORT;
}

/** The port when it could be had, else the code of the failure. */
async function tryToListen(address: { host: string; port: number }): Promise<{ port?: number; code?: string }> {
  const { host, port } = address;
  const server = createServer();
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, host, resolve);
    });
  } catch (error) {
    return { code: String((error as NodeJS.ErrnoException).code) };
  }
  const { port: listening } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return { port: listening };
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
  if (url !== undefined) return { kind: 'node', name: url };
  if (configFile !== undefined) return { kind: 'node', name: `the nodes in ${configFile}` };
  return sampleSource();
}

export function sampleSource(): Source & { kind: 'recording' } {
  return { kind: 'recording', folder: sampleFolder('leap-edge'), name: 'the sample chain' };
}

/** Throws `QuickStartError` when the folder holds no recording. */
export function recordingSource(folder: string): Source & { kind: 'recording' } {
  for (const file of ['ship.abi.json', 'messages.ship.gz']) {
    if (!existsSync(path.join(folder, file))) {
      throw new QuickStartError(`--recording: ${folder} holds no ${file}. It takes a folder like samples/leap-edge.`);
    }
  }
  return { kind: 'recording', folder, name: `the recording ${folder}` };
}

/** One per source, so that two chains never meet in one store. */
function dataFolder(source: Source): string {
  const [kind, place] =
    source.kind === 'recording' ? [path.basename(source.folder), source.folder] : ['node', source.name];
  const digest = createHash('sha256').update(place).digest('hex').slice(0, 8);
  return `${kind.replace(/[^\w.-]/g, '_')}-${digest}`;
}

function readConfig(args: string[], environment: NodeJS.ProcessEnv): Config {
  try {
    return loadConfig(args, environment);
  } catch (error) {
    if (error instanceof HistoryError) throw new QuickStartError(error.message);
    throw error;
  }
}
