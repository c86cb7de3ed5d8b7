import { rmSync } from 'node:fs';
import { createFreshName } from '../contents/fresh-name';
import { stopGroup, untilHealthy } from '../processes/background';
import { withLock } from '../processes/lock';
import {
  ELASTICSEARCH_START_LIMIT_MS,
  type LaunchedElasticsearch,
  launchElasticsearch,
} from '../servers/elasticsearch';
import { servicesFolder } from '../state';
import { type Cluster, type ClusterNode, REMOVAL, startNodes } from './cluster';

export interface ElasticsearchNode extends ClusterNode {
  /** Its node name. */
  name: string;
}

const LOCK_LIMIT_MS = 600_000;
const ANSWER_LIMIT_MS = 5_000;

/** Starts the nodes of an Elasticsearch cluster without security on free ports. Needs Java, and Maven the first time. */
export async function startElasticsearchCluster(count: number): Promise<Cluster<ElasticsearchNode>> {
  const clusterName = createFreshName('cluster');
  const nodes: (ElasticsearchNode & { launched: LaunchedElasticsearch; isLost: boolean })[] = [];
  const add = async (): Promise<ElasticsearchNode> => {
    const known = nodes.filter(({ isLost }) => !isLost);
    const name = createFreshName('node');
    const settings = {
      'cluster.name': clusterName,
      'node.name': name,
      'discovery.type': 'multi-node',
      'discovery.seed_hosts': known.map(({ launched }) => `127.0.0.1:${launched.transportPort}`),
      // The node that makes the cluster; the others join it.
      ...(known.length === 0 && { 'cluster.initial_master_nodes': [name] }),
    };
    const folder = servicesFolder();
    // The first start fetches the distribution; the lock keeps others from doing the same.
    const launched = await withLock(folder, LOCK_LIMIT_MS, () => launchElasticsearch(folder, { settings }));
    const { leader, logFile, own, port } = launched;
    const node = {
      url: `http://127.0.0.1:${port}`,
      name,
      launched,
      isLost: false,
      async lose() {
        node.isLost = true;
        await stopGroup(leader, 'SIGKILL');
        rmSync(own, REMOVAL);
      },
    };
    nodes.push(node);
    await untilHealthy(() => checkMaster(node.url), { leader, logFile }, ELASTICSEARCH_START_LIMIT_MS);
    return node;
  };
  const stop = async (): Promise<void> => {
    await Promise.all(nodes.map((node) => node.lose()));
  };
  return startNodes({ nodes, add, stop }, count);
}

/** Rejects unless the node belongs to a cluster with a master: a node responds before it has joined. */
async function checkMaster(url: string): Promise<void> {
  const response = await fetch(`${url}/_cluster/health?master_timeout=1s`, {
    signal: AbortSignal.timeout(ANSWER_LIMIT_MS),
  });
  await response.body?.cancel();
  if (!response.ok) throw new Error(`Elasticsearch answers ${response.status}`);
}
