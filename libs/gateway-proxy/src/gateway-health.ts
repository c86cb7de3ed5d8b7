import type { KeyValue } from '@antelope-history/key-value';
import { describeLag, healthResponse, type HealthResponse, type HealthStatus } from '@antelope-history/schemas';
import { resultOfComponent, type Config, readServiceVersion, statusOf } from '@antelope-history/app-runtime';
import { requestHealth } from './api-faults';
import { steadyClock } from './clocks';
import type { LocalApis } from './local-apis';
import { ProcessWatch } from './process-watch';

export type ReadComponent = () => Promise<Pick<Component, 'status' | 'reason'>>;

export interface GatewayHealthDeps {
  config: Pick<Config, 'gateway'>;
  keyValue: KeyValue;
  /** The APIs of this process; without them the URLs of the configuration are asked. */
  localApis?: LocalApis;
  /** An API that reports another chain id is `down`. */
  chainId?: string;
  /** Components that /health shows besides the APIs and the key-value store. */
  components?: Record<string, ReadComponent>;
  /** In the place of every clock, for tests. */
  now?: () => number;
}

/** How long one result is reused, so that frequent monitors do not multiply the requests to the APIs. */
const REUSED_FOR_MS = 1_000;

type ChainFacts = Omit<HealthResponse, 'status' | 'version' | 'components'>;
type Component = HealthResponse['components'][string];

interface ApiHealth extends Pick<Component, 'status' | 'reason'> {
  facts: ChainFacts;
}

/**
 * What this gateway reads of the health of an API. The URL may be that of another gateway, which by default shows clients no
 * `components` and no `incomplete_ranges`.
 */
const apiHealth = healthResponse.omit({ components: true }).partial({ incomplete_ranges: true });
type FactsOfApi = ReturnType<typeof apiHealth.parse>;

const CHAIN_ID_MISMATCH = 'CHAIN_ID_MISMATCH';
const DOWN: Component = { status: 'down' };
const NO_FACTS: ChainFacts = {
  chain_id: null,
  first_block_num: null,
  state_complete: null,
  head_block_num: null,
  committed_block_num: null,
  last_irreversible_block_num: null,
  lag_blocks: null,
  committed_age_seconds: null,
  data_fields: {},
  incomplete_ranges: [],
};

/** The health of the whole service: the chain's state as the APIs report it, and the status of every component. */
export function createGatewayHealth(deps: GatewayHealthDeps): () => Promise<HealthResponse> {
  const { now = steadyClock } = deps;
  const version = readServiceVersion();
  const processes = new ProcessWatch(deps.keyValue, now);
  let last: { health: Promise<HealthResponse>; at: number } | undefined;
  return () => {
    if (!last || now() - last.at >= REUSED_FOR_MS) last = { health: readHealth(deps, processes, version), at: now() };
    return last.health;
  };
}

async function readHealth(
  { config, keyValue, localApis, chainId, components = {} }: GatewayHealthDeps,
  processes: ProcessWatch,
  version: string,
): Promise<HealthResponse> {
  const { historyApiUrl, chainApiUrl, traceApiUrl } = config.gateway;
  const apiUrls = { history_api: historyApiUrl, chain_api: chainApiUrl, trace_api: traceApiUrl };
  const readOne = localApis
    ? async () =>
        refuseOther(await readHealthOf(localApis.readHealth().then((health) => apiHealth.parse(health))), chainId)
    : (urls: string[]) => readApis(urls, chainId);
  const [apis, keyValueStatus, others, reported] = await Promise.all([
    Promise.all(Object.entries(apiUrls).map(async ([name, urls]) => ({ name, ...(await readOne(urls)) }))),
    statusOf(keyValue.get('health')),
    Promise.all(
      Object.entries(components).map(async ([name, read]) => ({
        name,
        ...((await resultOfComponent(read())) ?? DOWN),
      })),
    ),
    resultOfComponent(processes.read()),
  ]);
  const parts = new Map<string, Component>(reported?.components);
  // Whether an API responds to this gateway outweighs what its heartbeat says.
  for (const { name, status, reason } of [...apis, { name: 'key_value', status: keyValueStatus, reason: undefined }]) {
    parts.set(name, { ...parts.get(name), status, ...(reason !== undefined && { reason }) });
  }
  for (const { name, ...component } of others) parts.set(name, { ...parts.get(name), ...component });
  const answering = apis.find(({ status }) => status !== 'down');
  const chain = answering && withNewerHead(answering, reported?.headBlock);
  return {
    status: chain ? overallStatus(chain.status, [...parts.values()]) : 'down',
    version,
    ...(chain?.facts ?? NO_FACTS),
    components: Object.fromEntries(parts),
  };
}

/** Replaces the head by the newer one of the heartbeats: an API knows only the head that came with the last committed block. */
function withNewerHead(api: ApiHealth, headBlock: number | undefined): ApiHealth {
  const { head_block_num: known, committed_block_num: committed } = api.facts;
  if (headBlock === undefined || known === null || headBlock <= known) return api;
  const { status, lag } = describeLag(headBlock, committed ?? undefined);
  const facts = { ...api.facts, head_block_num: headBlock, lag_blocks: lag ?? null };
  return { status: api.status === 'ok' ? status : api.status, facts };
}

function overallStatus(chain: HealthStatus, parts: Component[]): HealthStatus {
  return parts.some(({ status }) => status === 'down' || status === 'degraded') ? 'degraded' : chain;
}

function refuseOther(api: ApiHealth, expected: string | undefined): ApiHealth {
  const { chain_id: found } = api.facts;
  if (expected === undefined || found === null || found === expected) return api;
  return { status: 'down', reason: CHAIN_ID_MISMATCH, facts: NO_FACTS };
}

/** The health of interchangeable APIs: `degraded` when only some of them respond, and that of one which is on another chain. */
async function readApis(urls: string[], expectedChain: string | undefined): Promise<ApiHealth> {
  const apis = await Promise.all(urls.map(async (url) => refuseOther(await readApi(url), expectedChain)));
  const other = apis.find(({ reason }) => reason === CHAIN_ID_MISMATCH);
  if (other) return other;
  const answering = apis.filter(({ status }) => status !== 'down');
  const [first = { status: 'down', facts: NO_FACTS }] = answering;
  return answering.length < apis.length && answering.length > 0 ? { ...first, status: 'degraded' } : first;
}

async function readApi(url: string): Promise<ApiHealth> {
  try {
    return await readHealthOf(requestHealth(url).then((body) => apiHealth.parse(body)));
  } catch {
    return { status: 'down', facts: NO_FACTS };
  }
}

async function readHealthOf(health: Promise<FactsOfApi>): Promise<ApiHealth> {
  const found = await resultOfComponent(health);
  if (!found) return { status: 'down', facts: NO_FACTS };
  const { status, version: _version, incomplete_ranges = [], ...facts } = found;
  return { status, facts: { ...facts, incomplete_ranges } };
}
