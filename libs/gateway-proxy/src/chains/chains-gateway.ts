import type { IncomingMessage, RequestListener } from 'node:http';
import type { KeyValue } from '@antelope-history/key-value';
import {
  type Config,
  createHttpApp,
  type HttpApp,
  type HttpRoute,
  type Logger,
  type Registry,
} from '@antelope-history/app-runtime';
import { steadyClock } from '../clocks';
import { type ClientHandlers, createClientHandlers } from '../client-handlers';
import { createGateway } from '../gateway';
import { createGatewayOperations } from '../gateway-pages';
import type { GatewayService } from '../gateway-service';
import { GatewayStatus } from '../status/gateway-status';
import { ChainGuard } from './chain-guard';
import { createChainsHealth } from './chains-health';
import { chainsPages } from './chains-pages';
import { ChainChooser } from './choose-chain';

type Chains = NonNullable<Config['gateway']['chains']>;

export interface ChainsGatewayDeps {
  config: Pick<Config, 'api' | 'gateway'>;
  chains: Chains;
  /** Counts the requests of all gateways together. */
  keyValue: KeyValue;
  /** The key-value store with the key prefix of a chain, where its processes report their state. */
  keyValueOf(chain: string): KeyValue;
  log: Logger;
  registry: Registry;
  /** Milliseconds since 1970, in the place of both clocks, for tests. */
  now?: () => number;
}

interface Chain {
  name: string;
  app: HttpApp;
  operations: HttpRoute[];
  status: GatewayStatus;
}

/**
 * Creates one gateway for several chains. Each chain has its own APIs, state and pages; its paths begin with its name, or belong
 * to its host names. The limits of a client apply to all chains together.
 */
export function createChainsGateway(deps: ChainsGatewayDeps): GatewayService {
  const { config, log, registry } = deps;
  const names = Object.keys(deps.chains);
  const clients = createClientHandlers(deps, names.length);
  const chains = new Map(names.map((name): [string, Chain] => [name, createChain(deps, name, clients)]));
  const readHealth = createChainsHealth([...chains.values()]);
  const own = createHttpApp({
    name: 'gateway',
    log,
    registry,
    observe: clients.observe,
    ...(clients.observeRefusal && { observeRefusal: clients.observeRefusal }),
    routes: chainsPages({ shown: config.gateway.publicPaths, names, readHealth, registry }).map((route) => ({
      ...route,
      handlers: [...clients.identify, ...route.handlers],
    })),
    describeUnknown: () =>
      `this path belongs to no chain: begin it with ${names.map((name) => `/${name}`).join(' or ')}`,
  });
  const operations = [
    ...chainsPages({ shown: ['live', 'health_details', 'metrics', 'status_page'], names, readHealth, registry }),
    ...[...chains.values()].flatMap(({ operations: pages }) => pages),
  ];
  const chooser = new ChainChooser(deps.chains);
  const respond: RequestListener = (request, response) => {
    const chosen = chooser.choose(request.headers.host, request.url ?? '/');
    if (chosen) enterChain(request, chosen.url);
    (chains.get(chosen?.name ?? '')?.app ?? own)(request, response);
  };
  const app = Object.assign(respond, { messages: own.messages, observeRefusal: own.observeRefusal });
  return { app, operations, statuses: [...chains.values()].map(({ status }) => status) };
}

/** Makes the URL relative to the chain. Express keeps an `originalUrl` that is already set, and the access log shows it. */
function enterChain(request: IncomingMessage & { originalUrl?: string }, url: string): void {
  if (request.url !== undefined) request.originalUrl = request.url;
  request.url = url;
}

function createChain(deps: ChainsGatewayDeps, name: string, clients: ClientHandlers): Chain {
  const { chainId, hosts: _hosts, keyPrefix: _prefix, ...urls } = deps.chains[name] as Chains[string];
  // `gateway.chain_node_url` is of one chain only, so it is dropped: a chain has the node that its own entry names, or none.
  const { chains: _chains, chainNodeUrl: _node, ...settings } = deps.config.gateway;
  const config = { ...deps.config, chainId, gateway: { ...settings, ...urls } };
  const { log, now } = deps;
  const optional = { ...(chainId !== undefined && { chainId }), ...(now && { now }) };
  const status = new GatewayStatus({ config, keyValue: deps.keyValueOf(name), ...optional });
  const guard = chainId === undefined ? undefined : new ChainGuard(name, status.readHealth, log, now ?? steadyClock);
  const requireChain = guard ? [guard.handler] : [];
  const gatewayDeps = { ...deps, config, status, chainName: name };
  return {
    name,
    app: createGateway(gatewayDeps, { clients, requireChain }),
    operations: createGatewayOperations(gatewayDeps),
    status,
  };
}
