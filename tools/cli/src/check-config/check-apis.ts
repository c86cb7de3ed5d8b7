import { addressOf, type ServerName } from '@antelope-history/connectivity';
import {
  type Check,
  checkServerClock,
  type Finding,
  ok,
  toFinding,
  warning,
  wrong,
} from '@antelope-history/connectivity/check';
import type { RouteGroup } from '@antelope-history/schemas';
import { type Config, readServiceVersion } from '@antelope-history/app-runtime';
import { type IdentifiedApp, identifyApp } from './identify-app';
import { requestJson } from './request-json';

export interface ApiCheckOptions {
  config: Pick<Config, 'gateway' | 'chainId'>;
  /** `host:port` of APIs that the same configuration starts; before the start they are not running. */
  startedHere: string[];
  now(): number;
}

interface Api {
  api: RouteGroup;
  url: string;
  server: ServerName;
}

/** An API that responded, with the name of its check. */
interface FoundApi extends IdentifiedApp {
  name: string;
}

/** The checks of the APIs and the chain nodes to which the gateway forwards requests, of each chain that it serves. */
export function apiChecks({ config, startedHere, now }: ApiCheckOptions): Check[] {
  const { chains } = config.gateway;
  const shared = { startedHere, now };
  if (chains === undefined)
    return chainChecks({ ...shared, urls: config.gateway, chainId: config.chainId, path: ONE_CHAIN, prefix: '' });
  return Object.entries(chains).flatMap(([name, chain]) =>
    chainChecks({
      ...shared,
      urls: chain,
      chainId: chain.chainId,
      path: `gateway.chains.${name}`,
      prefix: `${name}: `,
    }),
  );
}

/** One of several chains may be served by a process with all apps, whose gateway has every endpoint. */
const ONE_CHAIN = 'gateway';

interface ChainCheckOptions extends Omit<ApiCheckOptions, 'config'> {
  urls: ApiUrls;
  chainId: string | undefined;
  /** Of the keys that name the addresses. */
  path: string;
  /** Of the names of the checks. */
  prefix: string;
}

type ApiUrls = Pick<Config['gateway'], 'historyApiUrl' | 'chainApiUrl' | 'traceApiUrl' | 'chainNodeUrl'>;

function chainChecks({ urls, chainId, path, prefix, startedHere, now }: ChainCheckOptions): Check[] {
  const found: FoundApi[] = [];
  const checks = apisOf(urls, path).map((api): Check => {
    const name = `${prefix}${api.server.name} ${api.server.address}`;
    const run = async (signal: AbortSignal): Promise<Finding> => {
      try {
        const app = await identifyApp(api.url, api.server, signal);
        if (app) found.push({ ...app, name });
        return app?.app === 'gateway' && path !== ONE_CHAIN ? describeHealth(api, app) : describeApp(api, app);
      } catch (error) {
        const finding = toFinding(error, 'api');
        const isToStart = finding.id === 'api.refused' && startedHere.includes(api.server.address);
        return isToStart
          ? ok('api.not_started', 'it is not running yet; this configuration starts it on this machine')
          : finding;
      }
    };
    return { name, needs: [], run };
  });
  const needs = checks.map(({ name }) => name);
  const nodes = [...new Set(urls.chainNodeUrl ?? [])].map((url) => nodeCheck(url, path, chainId, found, needs));
  return [
    ...checks,
    { name: `${prefix}apis chain`, needs, run: async () => checkChains(found, chainId) },
    { name: `${prefix}apis clock`, needs, run: async () => checkClocks(found, now()) },
    ...nodes.map((check) => ({ ...check, name: prefix + check.name })),
  ];
}

function apisOf({ historyApiUrl, chainApiUrl, traceApiUrl }: ApiUrls, path: string): Api[] {
  const toApis = (api: RouteGroup, urls: string[]): Api[] =>
    [...new Set(urls)].map((url) => {
      const server = { name: `${api}-api`, address: addressOf(url), keys: { url: `${path}.${api}_api_url` } };
      return { api, url, server };
    });
  return [...toApis('history', historyApiUrl), ...toApis('chain', chainApiUrl), ...toApis('trace', traceApiUrl)];
}

function describeApp({ api, server }: Api, found: IdentifiedApp | undefined): Finding {
  const change = `name the host and port of ${server.name} in ${server.keys.url}`;
  if (!found) return wrong('api.other_server', `the server at ${server.address} is no app of Antelope History`, change);
  if (found.app !== api) {
    const name = found.app === 'gateway' ? 'a gateway' : found.app === 'worker' ? 'a worker' : `${found.app}-api`;
    return wrong('api.other_app', `the server at ${server.address} is ${name}, not ${server.name}`, change);
  }
  return describeHealth({ server }, found);
}

function describeHealth({ server }: Pick<Api, 'server'>, { health: { status, version } }: IdentifiedApp): Finding {
  if (status === 'down') {
    return wrong(
      'api.down',
      `${server.name} at ${server.address} runs, but cannot answer queries`,
      `run check-config with --for ${server.name} on its machine`,
    );
  }
  if (version !== readServiceVersion()) {
    return warning(
      'api.other_version',
      `${server.name} at ${server.address} has version ${version}, check-config has ${readServiceVersion()}`,
      'run the same version of every app',
    );
  }
  return ok('api.answers', `it responds at ${server.address}; its health is ${status}`);
}

function checkChains(found: FoundApi[], expected: string | undefined): Finding {
  const chains = found.flatMap(({ name, health }) => (health.chain_id ? [{ name, id: health.chain_id }] : []));
  const ids = new Set([...chains.map(({ id }) => id), ...(expected === undefined ? [] : [expected])]);
  if (chains.length === 0) return ok('api.no_chain', 'none of them serves a chain yet');
  if (ids.size === 1) return ok('api.chain', 'all of them serve the same chain');
  const listed = chains.map(({ name, id }) => `${name}: ${id}`).join(', ');
  return wrong(
    'api.chain_id_mismatch',
    `they serve different chains (${listed}${expected === undefined ? '' : `; chain_id: ${expected}`})`,
    'configure all of them with the store of this chain',
  );
}

function checkClocks(found: FoundApi[], now: number): Finding {
  for (const { name, date } of found) {
    const finding = date === undefined ? undefined : checkServerClock('api', `the machine of ${name}`, date, now);
    if (finding?.outcome === 'wrong') return finding;
  }
  return ok('api.clock', 'their clocks agree with the clock of this machine');
}

function nodeCheck(url: string, path: string, expected: string | undefined, found: FoundApi[], needs: string[]): Check {
  const server = { name: 'the chain node', address: addressOf(url), keys: { url: `${path}.chain_node_url` } };
  return {
    name: `chain node ${server.address}`,
    needs,
    run: async (signal) => {
      try {
        const { body } = await requestJson(`${url.replace(/\/$/, '')}/v1/chain/get_info`, 'POST', server, signal);
        const served = found.map(({ health }) => health.chain_id).find(Boolean);
        return describeNode(server, readChainId(body), expected ?? served ?? undefined);
      } catch (error) {
        return toFinding(error, 'node');
      }
    },
  };
}

function readChainId(body: unknown): string | undefined {
  const id = typeof body === 'object' && body !== null && 'chain_id' in body ? body.chain_id : undefined;
  return typeof id === 'string' && /^[0-9a-f]{64}$/.test(id) ? id : undefined;
}

function describeNode(server: ServerName, chainId: string | undefined, expected: string | undefined): Finding {
  const change = `name the HTTP address of a node of this chain, with chain_api_plugin, in ${server.keys.url}`;
  if (chainId === undefined) {
    return wrong('node.other_server', `the server at ${server.address} is no chain node`, change);
  }
  if (expected !== undefined && chainId !== expected) {
    return wrong(
      'node.chain_id_mismatch',
      `the node is on chain ${chainId}, the service is on chain ${expected}`,
      change,
    );
  }
  return ok('node.answers', `it is on chain ${chainId}`);
}
