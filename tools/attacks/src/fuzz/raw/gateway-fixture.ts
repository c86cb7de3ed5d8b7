import type { RequestListener } from 'node:http';
import { createGateway, GatewayStatus } from '@antelope-history/gateway-proxy';
import { MemoryKeyValue } from '@antelope-history/key-value-memory';
import { createLogger, listen, type Listener, loadConfig, Registry } from '@antelope-history/app-runtime';
import { ROUTES } from '@antelope-history/routes';
import { type HonestRequest, inAllCodings } from '../../honest-requests';
import { HonestClient } from './honest-client';
import { type RawFixture, recordedAlone } from './raw-fixture';
import { RecordingUpstream } from './recording-upstream';
import { keyOf, type SeenRequest } from './reference-parser';
import { RequestPool } from './request-pool';

export interface UpstreamUrls {
  history: string;
  chain: string;
  trace: string;
  node: string;
}

/** The attacked server: the gateway, or a faulty one of a test. */
export type CreateTarget = (urls: UpstreamUrls, registry: Registry) => RequestListener;

const IN_FLIGHT = 'http_requests_in_flight';
const PER_ROUTE = 3;

/** The upstreams send the contents of the request; each of these has its own response. */
const HONEST_REQUESTS: HonestRequest[] = Object.values(ROUTES).flatMap(({ path }) =>
  Array.from({ length: PER_ROUTE }, (_, index) => ({
    path,
    body: JSON.stringify({ honest: `${path} ${index}`, pad: 'p'.repeat(index * 700) }),
  })),
);

/** The gateway without rate limits: all connections come from two addresses. */
const createRealTarget: CreateTarget = ({ history, chain, trace, node }, registry) => {
  const config = loadConfig({
    HISTORY_GATEWAY__HISTORY_API_URL: history,
    HISTORY_GATEWAY__CHAIN_API_URL: chain,
    HISTORY_GATEWAY__TRACE_API_URL: trace,
    HISTORY_GATEWAY__CHAIN_NODE_URL: node,
    HISTORY_API__RATE_LIMIT_RPM: '0',
  });
  const keyValue = new MemoryKeyValue();
  const status = new GatewayStatus({ config, keyValue });
  return createGateway({ config, keyValue, status, log: createLogger('fuzz', 'silent'), registry });
};

/** Reports each request that reaches an upstream although no client sent it. */
class UpstreamTraffic {
  readonly allowed = new RequestPool();
  readonly faults: string[] = [];
  requests = 0;

  note(request: SeenRequest): void {
    this.requests++;
    const key = keyOf(request);
    if (this.allowed.take(key)) return;
    this.faults.push(`an upstream received a request that no client sent: ${JSON.stringify(key.slice(0, 300))}`);
  }
}

/** Opens a gateway of this process and upstreams that report their requests. */
export async function openGatewayFixture(createTarget: CreateTarget = createRealTarget): Promise<RawFixture> {
  const traffic = new UpstreamTraffic();
  const upstreams = Array.from({ length: 4 }, () => {
    return new RecordingUpstream(
      (request) => traffic.note(request),
      (fault) => traffic.faults.push(fault),
    );
  });
  const urls = await Promise.all(upstreams.map((upstream) => upstream.open()));
  const [history = '', chain = '', trace = '', node = ''] = urls;
  const registry = new Registry();
  const target = createTarget({ history, chain, trace, node }, registry);
  const listener = await listen(target, { host: '127.0.0.1', port: 0 });
  const fixture = new GatewayFixture(listener, upstreams, registry, traffic);
  return recordedAlone(fixture);
}

class GatewayFixture implements RawFixture {
  readonly pid = process.pid;
  readonly honest: HonestClient;

  constructor(
    private readonly listener: Listener,
    private readonly upstreams: RecordingUpstream[],
    private readonly registry: Registry,
    private readonly traffic: UpstreamTraffic,
  ) {
    this.honest = new HonestClient(listener.url, inAllCodings(HONEST_REQUESTS), (request) => this.allow(request));
  }

  get port(): number {
    return this.listener.port;
  }

  get upstreamRequests(): number {
    return this.traffic.requests;
  }

  allow(request: SeenRequest): void {
    this.traffic.allowed.add(keyOf(request));
  }

  takeFaults(): string[] {
    return this.traffic.faults.splice(0);
  }

  async inFlight(): Promise<number> {
    const metric = await this.registry.getSingleMetric(IN_FLIGHT)?.get();
    return metric?.values.reduce((sum, { value }) => sum + value, 0) ?? 0;
  }

  async close(): Promise<void> {
    this.honest.close();
    this.upstreams.forEach((upstream) => upstream.close());
    await this.listener.close();
  }
}
