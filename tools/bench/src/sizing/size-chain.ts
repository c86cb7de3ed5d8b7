import {
  type ChainSize,
  type EmbeddedCosts,
  RANGED_KINDS,
  type RangedKind,
  type Stage,
  STAGES,
  type SuiteCosts,
  totalOf,
} from './costs';

/** What the suite runs on, and how it is configured. */
export interface Site {
  /** Processors of each machine. */
  processors: number;
  /** Memory of each machine. */
  memoryBytes: number;
  /** `store.elasticsearch.replicas`. */
  replicas: number;
  /** `store.elasticsearch.blocks_per_index`. */
  blocksPerIndex: number;
  /** `store.elasticsearch.actions_per_index`. */
  actionsPerIndex: number;
}

export const SECONDS_PER_DAY = 86_400;
const GIB = 2 ** 30;
const GB = 1e9;

/** Share of the processors' time that a backfill uses: stages wait for each other, for disks and for the network. */
export const USED_SHARE = 0.7;
/** The largest file of ext4, with blocks of 4 KiB; XFS has no such limit here. */
export const EXT4_FILE_BYTES = 16 * 2 ** 40;
/** The upper limit of `store.lmdb.map_size_bytes`. */
const LMDB_MAP_BYTES = 64 * 2 ** 40;
/** `cluster.routing.allocation.disk.watermark.low`: above this share, a node takes no further shards. */
export const LOW_WATERMARK = 0.85;
/**
 * The upper shard size. Elastic recommends shards of 10 to 50 GB, or of up to 200 million documents
 * (https://www.elastic.co/docs/deploy-manage/production-guidance/optimize-performance/size-shards).
 */
export const SHARD_BYTES = 50 * GB;
/** The most documents that a shard can have: Lucene's `IndexWriter.MAX_DOCS`. */
const SHARD_DOCUMENTS = 2_147_483_519;
/** The busiest range of a chain is assumed to have this many times the actions of the average one. */
export const BUSIEST_TO_AVERAGE = 2;
/** A range that is full ends about so many blocks later: `docs/configuration.md`. */
export const BLOCKS_AFTER_FULL = 10_000;
/** Per 1 GiB of heap of a master node, from the same page. */
export const INDICES_PER_HEAP_GIB = 3_000;
/** Of these, two can elect one when one node is lost. */
export const MASTERS = 3;
/** Default of `cluster.max_shards_per_node`. */
export const SHARDS_PER_NODE = 1_000;
/** Half of the memory, and below the size at which the JVM gives up compressed pointers. */
const MAX_HEAP_BYTES = 31 * GIB;
/**
 * Bytes on disk per byte of memory of a node, with fast and with slow disks
 * (https://www.elastic.co/blog/benchmarking-and-sizing-your-elasticsearch-cluster-for-logs-and-metrics).
 */
export const DISK_TO_MEMORY = { hot: 30, warm: 160 };
/** Ranges in an index of the directory (`docs/elasticsearch.md`), and the indices that exist once. */
const RANGES_PER_DIRECTORY = 64;
const SINGLE_INDICES = 4;
/** The reader is one process, which runs on one processor. */
const READER_PROCESSORS = 1;
/** The two queues with blocks: each is a process of RabbitMQ, which runs on one processor at a time. */
const RABBITMQ_PROCESSORS = 2;

export interface EmbeddedSizing {
  diskBytes: number;
  memoryBytes: number;
  /** Seconds of processor time of the whole index. */
  processorSeconds: number;
  /** Of a backfill, on a machine with at least `processors` idle processors. */
  days: number;
  /** Processors that the threads keep busy. */
  processors: number;
  actionsPerSecond: number;
  /** Whether the data file is larger than ext4, and than the configuration, allow. */
  exceedsExt4: boolean;
  exceedsMap: boolean;
}

/** The embedded set. The busiest thread determines the time; the others run beside it. */
export function sizeEmbedded(costs: EmbeddedCosts, chain: ChainSize): EmbeddedSizing {
  const diskBytes = totalOf(costs.diskBytes, chain);
  const processorSeconds = totalOf(costs.processorSeconds, chain);
  const busiest = totalOf(costs.busiestThreadSeconds, chain);
  return {
    diskBytes,
    memoryBytes: costs.memoryBytes,
    processorSeconds,
    days: busiest / SECONDS_PER_DAY,
    processors: Math.ceil(processorSeconds / busiest),
    actionsPerSecond: (chain.actions + chain.blocks) / busiest,
    exceedsExt4: diskBytes > EXT4_FILE_BYTES,
    exceedsMap: diskBytes > LMDB_MAP_BYTES,
  };
}

export interface DiskSizing {
  /** After a merge. */
  primaryBytes: number;
  withReplicasBytes: number;
  /** Disks of all nodes together, so that no node reaches the low watermark. */
  disksBytes: number;
}

export function sizeDisk({ diskBytes }: SuiteCosts, chain: ChainSize, { replicas }: Site): DiskSizing {
  const kinds = Object.values(diskBytes);
  const primaryBytes = kinds.reduce((sum, cost) => sum + totalOf(cost, chain), 0);
  const withReplicasBytes = primaryBytes * (1 + replicas);
  return { primaryBytes, withReplicasBytes, disksBytes: withReplicasBytes / LOW_WATERMARK };
}

export interface ShardSizing {
  blocksPerIndex: number;
  ranges: number;
  indices: number;
  shards: number;
  /** The kind with the largest indices. */
  largestKind: RangedKind;
  /** Its index of the average range, and of the busiest one. */
  averageBytes: number;
  busiestBytes: number;
  /** Whether the latter has at most `SHARD_BYTES` and `SHARD_DOCUMENTS`. */
  isWithinLimits: boolean;
}

export function sizeShards(
  { diskBytes }: SuiteCosts,
  chain: ChainSize,
  { blocksPerIndex, actionsPerIndex, replicas }: Site,
): ShardSizing {
  // With those of `onblock`: each is a document of the index of actions.
  const actions = chain.actions + chain.blocks;
  const share = shareOfBusiest(chain, actions, { blocksPerIndex, actionsPerIndex });
  // A range ends with each multiple of `blocks_per_index`, and with each `actions_per_index` actions.
  const ranges = Math.max(1, Math.ceil(chain.blocks / blocksPerIndex) + Math.floor(actions / actionsPerIndex));
  const indices = ranges * RANGED_KINDS.length + Math.ceil(ranges / RANGES_PER_DIRECTORY) + SINGLE_INDICES;
  const sizes = RANGED_KINDS.map((kind) => ({ kind, bytes: totalOf(diskBytes[kind], chain) }));
  const largest = sizes.reduce((most, size) => (size.bytes > most.bytes ? size : most));
  const busiestBytes = largest.bytes * share;
  return {
    blocksPerIndex,
    ranges,
    indices,
    shards: indices * (1 + replicas),
    largestKind: largest.kind,
    averageBytes: largest.bytes / ranges,
    busiestBytes,
    isWithinLimits: busiestBytes <= SHARD_BYTES && actions * share <= SHARD_DOCUMENTS,
  };
}

/** The part of the chain that the busiest range has. A range with all blocks is not busier than the average. */
function shareOfBusiest(
  { blocks }: ChainSize,
  actions: number,
  { blocksPerIndex, actionsPerIndex }: Pick<Site, 'blocksPerIndex' | 'actionsPerIndex'>,
): number {
  const busiest = (count: number): number => Math.min(1, (count / blocks) * BUSIEST_TO_AVERAGE);
  const byBlocks = blocksPerIndex >= blocks ? 1 : busiest(blocksPerIndex);
  return Math.min(byBlocks, actionsPerIndex / actions + busiest(BLOCKS_AFTER_FULL));
}

/** Limits of `store.elasticsearch.blocks_per_index`. */
const MAX_BLOCKS_PER_INDEX = 1_000_000_000;

/**
 * The shards with the largest `blocks_per_index` of 1, 2 or 5 times a power of ten with which they are within the limits. A range
 * of more than the chain has room for changes nothing.
 */
export function recommendShards(costs: SuiteCosts, chain: ChainSize, site: Site): ShardSizing {
  for (let power = MAX_BLOCKS_PER_INDEX; power >= 10; power /= 10) {
    for (const blocksPerIndex of [power, power / 2, power / 5]) {
      if (blocksPerIndex / 2 >= chain.blocks) continue;
      const shards = sizeShards(costs, chain, { ...site, blocksPerIndex });
      if (shards.isWithinLimits) return shards;
    }
  }
  return sizeShards(costs, chain, { ...site, blocksPerIndex: 1 });
}

export interface NodesSizing {
  /** Heap of each Elasticsearch node. */
  heapBytes: number;
  /** Heap that the number of indices takes of the elected master. */
  indicesHeapBytes: number;
  /** Nodes with fast disks, and with slow ones where little is read often. */
  hotNodes: number;
  warmNodes: number;
  /** The disk of each of them. */
  hotDiskBytes: number;
  warmDiskBytes: number;
}

/** Elasticsearch nodes, by their ratio of data to memory, their shards, and what a cluster with replicas needs. */
export function sizeNodes(disk: DiskSizing, { indices, shards }: ShardSizing, site: Site): NodesSizing {
  const { memoryBytes, replicas } = site;
  const least = Math.max(replicas + 1, replicas > 0 ? MASTERS : 1, Math.ceil(shards / SHARDS_PER_NODE));
  const nodesAt = (ratio: number): number => Math.max(least, Math.ceil(disk.withReplicasBytes / (memoryBytes * ratio)));
  const [hotNodes, warmNodes] = [nodesAt(DISK_TO_MEMORY.hot), nodesAt(DISK_TO_MEMORY.warm)];
  return {
    heapBytes: Math.min(memoryBytes / 2, MAX_HEAP_BYTES),
    indicesHeapBytes: (indices / INDICES_PER_HEAP_GIB) * GIB,
    hotNodes,
    warmNodes,
    hotDiskBytes: disk.disksBytes / hotNodes,
    warmDiskBytes: disk.disksBytes / warmNodes,
  };
}

export interface StageSizing {
  stage: Stage;
  /** Processor time of the whole backfill. */
  processorSeconds: number;
  /** Share of the time of all stages. */
  share: number;
  /** Actions per second that one busy processor takes through the stage. */
  actionsPerSecond: number;
  /** Most processors that the stage can use, however many machines there are. */
  mostProcessors: number;
}

/** Stages with their processor time. Each copy of a shard indexes again, so `replicas` multiply the time of Elasticsearch. */
export function sizeStages(costs: SuiteCosts, chain: ChainSize, replicas: number): StageSizing[] {
  const seconds = STAGES.map((stage) => {
    const copies = stage === 'elasticsearch' ? 1 + replicas : 1;
    return { stage, processorSeconds: totalOf(costs.processorSeconds[stage], chain) * copies };
  });
  const all = seconds.reduce((sum, { processorSeconds }) => sum + processorSeconds, 0);
  return seconds.map(({ stage, processorSeconds }) => ({
    stage,
    processorSeconds,
    share: processorSeconds / all,
    actionsPerSecond: (chain.actions + chain.blocks) / processorSeconds,
    mostProcessors: mostProcessorsOf(stage),
  }));
}

function mostProcessorsOf(stage: Stage): number {
  if (stage === 'reader') return READER_PROCESSORS;
  return stage === 'rabbitmq' ? RABBITMQ_PROCESSORS : Infinity;
}

export interface BackfillSizing {
  machines: number;
  days: number;
  /** What the time ends at: the processors of the machines, or a stage that can not use more of them. */
  limit: Stage | 'processors';
  /** Processors that each stage keeps busy. */
  busyProcessors: Record<Stage, number>;
}

/** A backfill on some machines, whose processors all stages share. */
export function sizeBackfill(stages: readonly StageSizing[], machines: number, processors: number): BackfillSizing {
  const all = stages.reduce((sum, { processorSeconds }) => sum + processorSeconds, 0);
  const times = [
    { limit: 'processors' as const, seconds: all / (machines * processors * USED_SHARE) },
    ...stages.map(({ stage, processorSeconds, mostProcessors }) => ({
      limit: stage,
      seconds: processorSeconds / mostProcessors,
    })),
  ];
  const { limit, seconds } = times.reduce((longest, time) => (time.seconds > longest.seconds ? time : longest));
  const busy = stages.map(({ stage, processorSeconds }) => [stage, processorSeconds / seconds] as const);
  return {
    machines,
    days: seconds / SECONDS_PER_DAY,
    limit,
    busyProcessors: Object.fromEntries(busy) as Record<Stage, number>,
  };
}

export interface SaturationSizing {
  /** The stage that is full first when each has one processor. */
  first: StageSizing;
  /** The stage that can not use more processors and is full before the other such one. */
  last: StageSizing;
  /** Actions per second at which `last` is full, the days of the backfill then, and the machines that it takes. */
  lastActionsPerSecond: number;
  lastDays: number;
  lastMachines: number;
}

export function findSaturation(stages: readonly StageSizing[], processors: number): SaturationSizing {
  const secondsOf = ({ processorSeconds, mostProcessors }: StageSizing): number => processorSeconds / mostProcessors;
  const first = stages.reduce((most, stage) => (stage.processorSeconds > most.processorSeconds ? stage : most));
  const last = stages.reduce((most, stage) => (secondsOf(stage) > secondsOf(most) ? stage : most));
  const all = stages.reduce((sum, { processorSeconds }) => sum + processorSeconds, 0);
  return {
    first,
    last,
    lastActionsPerSecond: last.actionsPerSecond * last.mostProcessors,
    lastDays: secondsOf(last) / SECONDS_PER_DAY,
    lastMachines: Math.ceil(all / secondsOf(last) / (processors * USED_SHARE)),
  };
}

/** Processes of an app that one processor each keeps busy for `USED_SHARE` of the time. */
export function instancesFor(busyProcessors: number): number {
  return Math.max(1, Math.ceil(busyProcessors / USED_SHARE));
}
