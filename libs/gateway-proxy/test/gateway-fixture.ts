import type { RequestListener } from 'node:http';
import type { KeyValue } from '@antelope-history/key-value';
import { MemoryKeyValue } from '@antelope-history/key-value-memory';
import { ROUTES } from '@antelope-history/routes';
import type { HealthResponse, HealthStatus, RouteGroup } from '@antelope-history/schemas';
import {
  type Config,
  createHttpApp,
  createLogger,
  jsonBodyOf,
  limitConnections,
  listen,
  type Listener,
  loadConfig,
  operationsRoutes,
  readJsonBody,
  Registry,
} from '@antelope-history/app-runtime';
import {
  createGateway,
  createGatewayOperations,
  type GatewayDeps,
  GatewayStatus,
  type GatewayStatusDeps,
} from '../src';

const log = createLogger('test', 'silent');
const NOWHERE = 'http://127.0.0.1:1';

/** The chain facts that the APIs of the fixture report in /health. */
export const CHAIN_FACTS = {
  version: '4.1.0',
  chain_id: 'ab'.repeat(32),
  first_block_num: 2,
  state_complete: true,
  head_block_num: 12,
  committed_block_num: 11,
  last_irreversible_block_num: 5,
  lag_blocks: 1,
  committed_age_seconds: 3,
  data_fields: { 'eosio.token:transfer.to': 2 },
  components: {},
  incomplete_ranges: [],
};

/** An API that echoes the request. */
function createEchoApi(app: RouteGroup, health: () => Pick<HealthResponse, 'status' | 'chain_id'>) {
  const registry = new Registry();
  const routes = Object.values(ROUTES).filter((route) => route.group === app);
  return createHttpApp({
    name: app,
    log,
    registry,
    routes: [
      ...routes.map(({ endpoint, path, method }) => ({
        endpoint,
        path,
        method,
        handlers: [
          readJsonBody(64 * 1024),
          (incoming: Parameters<typeof jsonBodyOf>[0], response: { json(body: unknown): unknown }) =>
            void response.json({
              app,
              path,
              body: jsonBodyOf(incoming),
              requestId: incoming.get('x-request-id'),
              host: incoming.get('host'),
            }),
        ],
      })),
      ...operationsRoutes(async (): Promise<HealthResponse> => ({ ...CHAIN_FACTS, ...health() }), registry),
    ],
  });
}

export class BrokenKeyValue extends MemoryKeyValue {
  override get = () => Promise.reject(new Error('redis://secret is unavailable'));
  override count = () => Promise.reject(new Error('redis://secret is unavailable'));
  override listMembers = () => Promise.reject(new Error('redis://secret is unavailable'));
}

export interface Settings
  extends
    Partial<Pick<GatewayDeps, 'localApis' | 'log' | 'now' | 'registry'>>,
    Pick<GatewayStatusDeps, 'chainId' | 'components' | 'readProcesses'> {
  /** Environment variables that override the fixture's configuration. */
  environment?: Record<string, string>;
  keyValue?: KeyValue;
}

/** Three APIs that echo requests, and gateways that forward to them. */
export class GatewayFixture {
  /** The status that the chain API reports in /health. */
  chainHealth: HealthStatus = 'ok';
  private readonly listeners: Listener[] = [];
  /** Until the fixture is opened: a port that nothing listens on. */
  private urls: Record<RouteGroup, string> = { history: NOWHERE, chain: NOWHERE, trace: NOWHERE };

  /** `facts`: what the APIs report in /health. */
  constructor(public facts = CHAIN_FACTS) {}

  async open(): Promise<void> {
    const healthOf = (status: () => HealthStatus) => () => ({ ...this.facts, status: status() });
    this.urls = {
      history: await this.serve(
        createEchoApi(
          'history',
          healthOf(() => 'ok'),
        ),
      ),
      chain: await this.serve(
        createEchoApi(
          'chain',
          healthOf(() => this.chainHealth),
        ),
      ),
      trace: await this.serve(
        createEchoApi(
          'trace',
          healthOf(() => 'ok'),
        ),
      ),
    };
  }

  /** The addresses of the APIs as keys of the configuration. */
  apiUrls() {
    const { history, chain, trace } = this.urls;
    return { history_api_url: history, chain_api_url: chain, trace_api_url: trace };
  }

  async close(): Promise<void> {
    await Promise.all(this.listeners.map((listener) => listener.close()));
  }

  /** Starts a listener that is open until the fixture is closed. */
  async serve(app: RequestListener): Promise<string> {
    const listener = await listen(app, { host: '127.0.0.1', port: 0 });
    this.listeners.push(listener);
    return listener.url;
  }

  /** A listening gateway with the connection limits that its process sets. */
  async serveLimited(settings: Settings): Promise<Listener> {
    const { gateway } = this.loadConfig(settings.environment);
    const { registry = new Registry() } = settings;
    const app = this.createGateway({ ...settings, registry });
    const limit = limitConnections(gateway, registry);
    const listener = await listen(app, { host: '127.0.0.1', port: 0, limit });
    this.listeners.push(listener);
    return listener;
  }

  createGateway(settings: Settings = {}) {
    return createGateway(this.depsOf(settings));
  }

  /** The pages of the operations listener. */
  createOperations(settings: Settings = {}) {
    const routes = createGatewayOperations(this.depsOf(settings));
    return createHttpApp({ name: 'operations', log, registry: new Registry(), routes });
  }

  depsOf({
    environment,
    keyValue = new MemoryKeyValue(),
    chainId,
    components,
    readProcesses,
    ...deps
  }: Settings): GatewayDeps {
    const config = this.loadConfig(environment);
    const { localApis, now } = deps;
    const optional = {
      ...(chainId && { chainId }),
      ...(components && { components }),
      ...(readProcesses && { readProcesses }),
    };
    const status = new GatewayStatus({
      config,
      keyValue,
      ...optional,
      ...(localApis && { localApis }),
      ...(now && { now }),
    });
    return { config, keyValue, status, log, registry: new Registry(), ...deps };
  }

  private loadConfig(environment: Record<string, string> = {}): Config {
    return loadConfig({
      HISTORY_GATEWAY__HISTORY_API_URL: this.urls.history,
      HISTORY_GATEWAY__CHAIN_API_URL: this.urls.chain,
      HISTORY_GATEWAY__TRACE_API_URL: this.urls.trace,
      ...environment,
    });
  }
}
