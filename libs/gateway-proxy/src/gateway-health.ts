import type { KeyValue } from '@antelope-history/key-value';
import { healthAnswer, type HealthAnswer, type HealthStatus } from '@antelope-history/schemas';
import { type Config, readServiceVersion } from '@antelope-history/service';

export type ReadComponent = () => Promise<HealthStatus>;

export interface GatewayHealthDeps {
  config: Pick<Config, 'api' | 'gateway'>;
  keyValue: KeyValue;
  components?: Record<string, ReadComponent>;
  now?: () => number;
}

const ANSWER_LIMIT_MS = 2_000;
/** Monitors that ask often must not multiply. */
const REUSED_FOR_MS = 1_000;

type ChainFacts = Omit<HealthAnswer, 'status' | 'version' | 'components'>;

const NO_FACTS: ChainFacts = {
  chain_id: null,
  head_block_num: null,
  committed_block_num: null,
  last_irreversible_block_num: null,
  lag_blocks: null,
  incomplete_ranges: [],
};

/** The health of the whole service: what the APIs say of the chain, and which parts answer. */
export function createGatewayHealth(deps: GatewayHealthDeps): () => Promise<HealthAnswer> {
  const { now = Date.now } = deps;
  const version = readServiceVersion();
  let last: { health: Promise<HealthAnswer>; at: number } | undefined;
  return () => {
    if (!last || now() - last.at >= REUSED_FOR_MS) last = { health: readHealth(deps, version), at: now() };
    return last.health;
  };
}

async function readHealth({ config, keyValue, components = {} }: GatewayHealthDeps, version: string) {
  const { historyApiUrl, chainApiUrl, traceApiUrl } = config.gateway;
  const [apis, keyValueStatus, others] = await Promise.all([
    Promise.all([historyApiUrl, chainApiUrl, traceApiUrl].map(readApi)),
    statusOf(() => keyValue.get('health').then(() => 'ok')),
    Promise.all(Object.entries(components).map(async ([name, read]) => [name, await statusOf(read)] as const)),
  ]);
  const answering = apis.find(({ status }) => status !== 'down');
  const counting = config.api.rateLimitRpm === 0 || keyValueStatus !== 'down';
  const statuses = [...apis.map(({ status }) => status), keyValueStatus, ...others.map(([, status]) => status)];
  return {
    status: answering && counting ? overallStatus(answering.status, statuses) : ('down' as const),
    version,
    ...(answering?.facts ?? NO_FACTS),
    components: Object.fromEntries(
      [
        ...['history_api', 'chain_api', 'trace_api'].map(
          (name, index) => [name, apis[index]?.status ?? 'down'] as const,
        ),
        ['key_value', keyValueStatus] as const,
        ...others,
      ].map(([name, status]) => [name, { status }]),
    ),
  };
}

function overallStatus(chain: HealthStatus, parts: HealthStatus[]): HealthStatus {
  return parts.some((status) => status === 'down' || status === 'degraded') ? 'degraded' : chain;
}

async function readApi(url: string): Promise<{ status: HealthStatus; facts: ChainFacts }> {
  try {
    const response = await fetch(`${url.replace(/\/$/, '')}/health`, { signal: AbortSignal.timeout(ANSWER_LIMIT_MS) });
    const { status, version: _version, components: _components, ...facts } = healthAnswer.parse(await response.json());
    return { status, facts };
  } catch {
    return { status: 'down', facts: NO_FACTS };
  }
}

/** A part that does not answer in time is down. */
async function statusOf(read: () => Promise<HealthStatus>): Promise<HealthStatus> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<HealthStatus>((resolve) => {
    timer = setTimeout(() => resolve('down'), ANSWER_LIMIT_MS);
  });
  return Promise.race([read(), late])
    .catch((): HealthStatus => 'down')
    .finally(() => clearTimeout(timer));
}
