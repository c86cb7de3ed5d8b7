import type { Client } from '@elastic/elasticsearch';
import { checkServerClock, ok, warning, wrong, type Check, type Finding } from '@antelope-history/connectivity/check';
import type { ChainStatus } from '@antelope-history/store';
import { hasErrorCode } from '@antelope-history/schemas';
import { withClient } from '../client/client';
import type { ElasticsearchOptions } from '../client/elasticsearch-options';
import { withStoreErrors } from '../client/store-errors';
import { IndexNames } from '../indices/index-names';
import { parseTiers, TIER_ATTRIBUTE } from '../indices/index-tiers';
import { ProgressReader, statusOf } from '../indices/progress';
import { checkPrivileges } from './check-privileges';
import { checkNode, forbiddenAs, type Access, type CheckContext } from './check-requests';
import { checkIndices, checkTemplates } from './check-templates';

export interface ElasticsearchCheckOptions {
  options: ElasticsearchOptions;
  access: Access;
  /** The chain that the configuration names. */
  chainId: string | undefined;
  /** Milliseconds since 1970. */
  now(): number;
}

const PRIVILEGES = 'elasticsearch privileges';
const INDICES = 'elasticsearch indices';

/** What can be wrong with the store on Elasticsearch. Nothing is written. */
export function elasticsearchChecks({ options, access, chainId, now }: ElasticsearchCheckOptions): Check[] {
  const contextOf = (client: Client, signal: AbortSignal): CheckContext => ({ client, signal, options, access });
  const check = (name: string, needs: string[], run: (context: CheckContext) => Promise<Finding>): Check => ({
    name,
    needs,
    run: (signal) => withStoreErrors(withClient(options, (client) => run(contextOf(client, signal)))),
  });
  const nodes = [...new Set(options.urls)].map((url) => {
    const one = { ...options, urls: [url] };
    const run = (signal: AbortSignal) => withClient(one, (client) => checkNode(contextOf(client, signal), url));
    return { name: `elasticsearch ${new URL(url).host}`, needs: [], run };
  });
  const reached = nodes.map(({ name }) => name);
  const ofWriters = [
    check('elasticsearch blocks', [PRIVILEGES], checkBlocks),
    check('elasticsearch templates', [PRIVILEGES], checkTemplates),
  ];
  return [
    ...nodes,
    check(PRIVILEGES, reached, checkPrivileges),
    check('elasticsearch cluster', reached, checkHealth),
    ...(access === 'write' ? ofWriters : []),
    ...(access === 'write' && (options.tiers ?? []).length > 0
      ? [check('elasticsearch tiers', reached, checkTiers)]
      : []),
    check(INDICES, [PRIVILEGES], checkIndices),
    check('elasticsearch data', [INDICES], (context) => checkData(context, chainId)),
    check('elasticsearch clock', reached, (context) => checkClock(context, now)),
  ];
}

/** The chain status that the cluster holds; undefined when nothing was ever written. Rejects as `ProgressReader.read`. */
export function readElasticsearchStatus(options: ElasticsearchOptions): Promise<ChainStatus | undefined> {
  return withClient(options, async (client) => {
    const read = await new ProgressReader(client, new IndexNames(options.indexPrefix)).read();
    return read && statusOf(read.progress);
  });
}

async function checkHealth({ client, signal, options }: CheckContext): Promise<Finding> {
  const index = new IndexNames(options.indexPrefix).pattern;
  const unknown = ok('elasticsearch.health_unknown', 'this user may not read its health, which is not needed');
  const health = await forbiddenAs(undefined, client.cluster.health({ index, level: 'indices' }, { signal }));
  if (!health) return unknown;
  const indices = Object.entries(health.indices ?? {});
  const red = indices.filter(([, { status }]) => status === 'red').map(([name]) => name);
  if (red.length > 0) {
    return wrong(
      'elasticsearch.cluster_red',
      `shards of ${red.join(', ')} are on no running node`,
      'start all of its nodes (GET _cluster/allocation/explain says why a shard is unassigned)',
    );
  }
  const yellow = indices.filter(([, { status }]) => status === 'yellow').map(([name]) => name);
  if (yellow.length > 0) {
    return warning(
      'elasticsearch.cluster_yellow',
      `${yellow.length} indices have fewer copies than configured`,
      'add a node, or set store.elasticsearch.replicas to the number of nodes minus one',
    );
  }
  return ok(
    'elasticsearch.cluster',
    `all of its ${indices.length} indices are complete, on ${health.number_of_nodes} nodes`,
  );
}

/** `read_only_allow_delete`: the server sets it when a disk reaches the flood-stage watermark. */
async function checkBlocks({ client, signal, options }: CheckContext): Promise<Finding> {
  const cluster = await forbiddenAs(undefined, client.cluster.getSettings({ flat_settings: true }, { signal }));
  const clusterSettings = { ...cluster?.persistent, ...cluster?.transient } as Record<string, unknown>;
  const index = new IndexNames(options.indexPrefix).pattern;
  const settings = await client.indices.getSettings({ index, name: 'index.blocks.*', flat_settings: true }, { signal });
  const targets = [
    { target: 'the cluster', prefix: 'cluster.blocks', settings: clusterSettings },
    ...Object.entries(settings).map(([name, { settings: own }]) => ({
      target: `the index ${name}`,
      prefix: 'index.blocks',
      settings: own ?? {},
    })),
  ];
  for (const { target, prefix, settings: blocks } of targets) {
    const isSet = (block: string): boolean => String(blocks[`${prefix}.${block}`]) === 'true';
    if (isSet('read_only_allow_delete')) {
      return wrong(
        'elasticsearch.flood_stage',
        `${target} accepts no writes: a disk was nearly full`,
        `free space on the disks of its nodes; if the block stays, set ${prefix}.read_only_allow_delete to null`,
      );
    }
    if (isSet('read') && isSet('write')) {
      return wrong(
        'elasticsearch.restore_unfinished',
        `${target} is blocked by ${prefix}.read and ${prefix}.write, as npm run snapshot does until a restore is complete`,
        `if no restore is running, delete the indices ${index} and restore again: they were not compared with the snapshot`,
      );
    }
    const block = ['read_only', 'write', 'metadata', 'read'].find(isSet);
    if (block !== undefined) {
      return wrong(
        'elasticsearch.read_only',
        `${target} is blocked by ${prefix}.${block}`,
        `set ${prefix}.${block} to null, or ask the operator who set it`,
      );
    }
  }
  return ok('elasticsearch.blocks', 'no block prevents writing');
}

/** Without a node of its tier an index stays where it is, so that the tier has no effect. */
async function checkTiers({ client, signal, options }: CheckContext): Promise<Finding> {
  const names = parseTiers(options.tiers ?? []).map(({ name }) => name);
  const attributes = await forbiddenAs(undefined, client.cat.nodeattrs({ format: 'json' }, { signal }));
  if (!attributes) return ok('elasticsearch.tiers_unknown', 'this user may not read the attributes of its nodes');
  const known = new Set(attributes.flatMap(({ attr, value }) => (attr === TIER_ATTRIBUTE ? (value ?? []) : [])));
  const missing = names.filter((name) => !known.has(name));
  if (missing.length === 0) return ok('elasticsearch.tiers', `it has nodes for ${names.join(', ')}`);
  return warning(
    'elasticsearch.tier_without_node',
    `no node has node.attr.${TIER_ATTRIBUTE}: ${missing.join(' or ')}, so that indices stay where they are`,
    `set it in elasticsearch.yml of the nodes, or remove the tier from store.elasticsearch.tiers`,
  );
}

async function checkData({ client, options }: CheckContext, chainId: string | undefined): Promise<Finding> {
  const progressReader = new ProgressReader(client, new IndexNames(options.indexPrefix));
  try {
    const progress = (await progressReader.read())?.progress;
    if (!progress) return ok('elasticsearch.empty', 'it holds no data yet');
    if (chainId !== undefined && progress.chain_id !== undefined && progress.chain_id !== chainId) {
      return wrong(
        'elasticsearch.chain_id_mismatch',
        `it holds chain ${progress.chain_id}, chain_id says ${chainId}`,
        'name the prefix of that chain in store.elasticsearch.index_prefix, or change chain_id',
      );
    }
    if (progress.blocks_per_index !== options.blocksPerIndex) {
      return warning(
        'elasticsearch.blocks_per_index_fixed',
        `it was created with ${progress.blocks_per_index} blocks per index, which cannot change; ` +
          `store.elasticsearch.blocks_per_index says ${options.blocksPerIndex}`,
        'set it to that number',
      );
    }
    return ok('elasticsearch.data', `its committed head is block ${progress.committed?.num ?? 'none'}`);
  } catch (error) {
    if (!hasErrorCode(error, 'STORE_FORMAT_MISMATCH')) throw error;
    const [what = '', ...change] = error.message.split(': ');
    return wrong('elasticsearch.wrong_format', what, change.join(': '));
  }
}

async function checkClock({ client, signal }: CheckContext, now: () => number): Promise<Finding> {
  const request = client.nodes.stats({ node_id: '_local', filter_path: 'nodes.*.timestamp' }, { signal });
  const [node] = Object.values((await forbiddenAs(undefined, request))?.nodes ?? {});
  const time = node?.timestamp;
  if (time === undefined)
    return ok('elasticsearch.clock_unknown', 'this user may not read its clock, which is not needed');
  return checkServerClock('elasticsearch', "Elasticsearch's machine", time, now());
}
