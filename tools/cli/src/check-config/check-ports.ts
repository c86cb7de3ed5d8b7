import { isIP } from 'node:net';
import { isWildcard, localAddressOf } from '@antelope-history/connectivity';
import { ok, wrong, type Check, type Finding } from '@antelope-history/connectivity/check';
import { HistoryError } from '@antelope-history/schemas';
import { type Config, tryToListen } from '@antelope-history/app-runtime';
import type { Listening } from './app-needs';
import { identifyApp } from './identify-app';

interface Address {
  host: string;
  port: number;
}

/** The checks of the addresses that apps listen on. */
export function portChecks(config: Config, listens: Listening[]): Check[] {
  const addresses = listens.flatMap((section): { section: Listening; address: Address }[] => {
    const address = listenAddressOf(config, section);
    // Port 0 means any free port.
    return address && address.port !== 0 ? [{ section, address }] : [];
  });
  return addresses.map(({ section, address }) => {
    const sameAs = addresses.find((other) => other.section !== section && excludeEachOther(other.address, address));
    const run = (signal: AbortSignal): Promise<Finding> => checkPort(section, address, sameAs?.section, signal);
    return { name: `port ${section}`, needs: [], run };
  });
}

/** Servers can share a port when each has an IP address of its own. A host name can be any of the addresses of the machine. */
function excludeEachOther(one: Address, other: Address): boolean {
  const isSpecific = ({ host }: Address): boolean => isIP(host) !== 0 && !isWildcard(host);
  return one.port === other.port && (one.host === other.host || !isSpecific(one) || !isSpecific(other));
}

function listenAddressOf(config: Config, section: Listening): Address | undefined {
  const operations = (port: number | undefined) => (port === undefined ? undefined : { host: config.ops.host, port });
  switch (section) {
    case 'gateway':
      return config.gateway;
    case 'history_api':
      return config.historyApi;
    case 'chain_api':
      return config.chainApi;
    case 'trace_api':
      return config.traceApi;
    case 'ops.gateway':
      return operations(config.ops.gatewayPort);
    case 'ops.history_api':
      return operations(config.ops.historyApiPort);
    case 'ops.chain_api':
      return operations(config.ops.chainApiPort);
    case 'ops.trace_api':
      return operations(config.ops.traceApiPort);
    case 'ops.reader':
      return operations(config.ops.readerPort);
    case 'ops.deserializer':
      return operations(config.ops.deserializerPort);
    case 'ops.indexer':
      return operations(config.ops.indexerPort);
  }
}

async function checkPort(
  section: Listening,
  { host, port }: Address,
  sameAs: Listening | undefined,
  signal: AbortSignal,
): Promise<Finding> {
  const key = section.startsWith('ops.') ? `${section}_port` : `${section}.port`;
  const hostKey = section.startsWith('ops.') ? 'ops.host' : `${section}.host`;
  if (sameAs !== undefined)
    return wrong('port.twice', `${section} and ${sameAs} both use port ${port}`, `change ${key}`);
  const listened = await tryToListen(host, port);
  if ('port' in listened) return ok('port.free', `${host}:${port} is free`);
  switch (listened.code) {
    case 'EADDRINUSE':
      return (await isOurApp(host, port, signal))
        ? ok('port.in_use_by_us', `an app of Antelope History already listens on ${host}:${port}`)
        : wrong('port.in_use', `another program listens on ${host}:${port}`, `stop it, or change ${key}`);
    case 'EACCES':
      return wrong(
        'port.not_allowed',
        `this user has no permission to listen on port ${port}`,
        `use a port above 1023 in ${key}`,
      );
    default:
      return wrong(
        'port.no_such_address',
        `this machine has no address ${host}`,
        `set ${hostKey} to an address of this machine`,
      );
  }
}

async function isOurApp(host: string, port: number, signal: AbortSignal): Promise<boolean> {
  const address = localAddressOf(host, port);
  try {
    const server = { name: 'the listener', address, keys: { url: '' } };
    return (await identifyApp(`http://${address}`, server, signal)) !== undefined;
  } catch (error) {
    if (error instanceof HistoryError) return false;
    throw error;
  }
}
