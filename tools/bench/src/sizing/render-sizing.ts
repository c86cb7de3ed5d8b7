import {
  type ChainSize,
  type Cost,
  type EmbeddedCosts,
  RANGED_KINDS,
  type Stage,
  STAGES,
  type SuiteCosts,
  totalOf,
} from './costs';
import { markdownTable } from '../markdown-table';
import { formatBytes, formatCount, formatDays, formatMemory, formatNumber, formatPercent } from './quantities';
import {
  BLOCKS_AFTER_FULL,
  BUSIEST_TO_AVERAGE,
  DISK_TO_MEMORY,
  findSaturation,
  INDICES_PER_HEAP_GIB,
  instancesFor,
  LOW_WATERMARK,
  MASTERS,
  recommendShards,
  SECONDS_PER_DAY,
  SHARD_BYTES,
  SHARDS_PER_NODE,
  type ShardSizing,
  type Site,
  sizeBackfill,
  sizeDisk,
  sizeEmbedded,
  sizeNodes,
  sizeShards,
  sizeStages,
  USED_SHARE,
} from './size-chain';
import { whereItWouldBeWrong } from './where-wrong';

/** What was measured, to compute from. */
export interface MeasuredCosts {
  embedded: EmbeddedCosts;
  suite: SuiteCosts;
  /** Requests per second of one processor, by request. */
  requests: { name: string; perSecond: number }[];
}

export interface SizedChain extends ChainSize {
  name: string;
}

export interface SizingOptions {
  chains: readonly SizedChain[];
  site: Site;
  /** Numbers of machines for which the days of a backfill are computed. */
  machines: readonly number[];
}

const MILLION = 1e6;
const STAGE_NAMES: Record<Stage, string> = {
  reader: 'reader',
  rabbitmq: 'RabbitMQ',
  deserializer: 'deserializers',
  indexer: 'indexers',
  elasticsearch: 'Elasticsearch',
};

/** In a sentence about one of its processes. */
const STAGE_SUBJECTS: Record<Stage, string> = {
  ...STAGE_NAMES,
  reader: 'the reader',
  deserializer: 'the deserializer',
  indexer: 'the indexer',
};

/** The whole section as Markdown. */
export function renderSizing(costs: MeasuredCosts, options: SizingOptions): string {
  return [
    renderCosts(costs),
    renderRules(),
    ...options.chains.map((chain) => renderChain(costs, chain, options)),
    renderRequests(costs),
    whereItWouldBeWrong(costs, options.chains),
  ].join('\n');
}

function renderCosts({ embedded, suite }: MeasuredCosts): string {
  const row = (name: string, { perAction, perBlock }: Cost, format: (value: number) => string): string[] => [
    name,
    format(perAction * MILLION),
    format(perBlock * MILLION),
  ];
  const seconds = (value: number): string => `${formatNumber(value)} s`;
  const { traces, actions, blocks } = suite.chain;
  return `### What an action and a block take

An action is counted once, with all its traces; \`global_sequence\`, which explorers show, counts traces. The measured chain has
${(traces / (actions + blocks)).toFixed(2)} traces per action. A block is counted with its \`onblock\` only. Sizes in Elasticsearch are those after a merge, without
replicas. Times are processor time.

${markdownTable([
  ['', 'per million actions', 'per million blocks'],
  row('embedded: disk', embedded.diskBytes, formatBytes),
  row('embedded: all threads', embedded.processorSeconds, seconds),
  row('embedded: busiest thread', embedded.busiestThreadSeconds, seconds),
  ...RANGED_KINDS.map((kind) => row(`suite: disk, \`${kind}\``, suite.diskBytes[kind], formatBytes)),
  ...STAGES.map((stage) => row(`suite: ${STAGE_NAMES[stage]}`, suite.processorSeconds[stage], seconds)),
])}`;
}

/** The rules that are used besides what was measured. */
function renderRules(): string {
  return `Besides what was measured, the computation takes:

- shards of at most ${formatBytes(SHARD_BYTES)};
  [Elastic](https://www.elastic.co/docs/deploy-manage/production-guidance/optimize-performance/size-shards) recommends 10 to 50 GB. The
  busiest blocks are taken to have ${BUSIEST_TO_AVERAGE} times the actions of the average ones.
- ranges of \`actions_per_index\` actions and ${formatNumber(BLOCKS_AFTER_FULL)} blocks more, or of \`blocks_per_index\` blocks.
- 1 GiB of the elected master's heap per ${formatCount(INDICES_PER_HEAP_GIB)} indices (the same page), at most ${formatCount(SHARDS_PER_NODE)} shards per node
  (\`cluster.max_shards_per_node\`), and at least ${MASTERS} nodes with replicas.
- per byte of a node's memory ${DISK_TO_MEMORY.hot} bytes of data with fast disks (hot), and ${DISK_TO_MEMORY.warm} where data are seldom read (warm), as
  [Elastic](https://www.elastic.co/blog/benchmarking-and-sizing-your-elasticsearch-cluster-for-logs-and-metrics) advises; half of the
  memory, and at most 31 GiB, as heap.
- disks that are at most ${formatPercent(LOW_WATERMARK)} full (the low watermark), and processors that are busy ${formatPercent(USED_SHARE)} of the time.
`;
}

function renderChain(costs: MeasuredCosts, chain: SizedChain, options: SizingOptions): string {
  const { name, blocks, actions } = chain;
  return [
    `### ${name}: ${formatCount(blocks)} blocks, ${formatCount(actions)} actions\n`,
    renderDisk(costs, chain, options.site),
    renderEmbedded(costs, chain),
    renderShards(costs, chain, options.site),
    renderNodes(costs, chain, options.site),
    renderStages(costs, chain, options.site),
    renderBackfill(costs, chain, options),
    renderSaturation(costs, chain, options.site),
  ].join('\n');
}

function renderDisk({ embedded, suite }: MeasuredCosts, chain: ChainSize, site: Site): string {
  const disk = sizeDisk(suite, chain, site);
  const single = sizeDisk(suite, chain, { ...site, replicas: 0 });
  const data = [totalOf(embedded.diskBytes, chain), single.primaryBytes, disk.withReplicasBytes].map(formatBytes);
  return markdownTable([
    ['', 'embedded', 'suite, no replicas', `suite, ${replicasOf(site)}`],
    ['data', ...data],
    [
      `disks that are ${formatPercent(LOW_WATERMARK)} full`,
      '–',
      formatBytes(single.disksBytes),
      formatBytes(disk.disksBytes),
    ],
  ]);
}

function renderEmbedded({ embedded }: MeasuredCosts, chain: ChainSize): string {
  const size = sizeEmbedded(embedded, chain);
  const limits = [
    size.exceedsExt4
      ? ' The data file exceeds 16 TiB, the most that a file on ext4 can have: use XFS, or the suite.'
      : '',
    size.exceedsMap ? ' It exceeds the largest `store.lmdb.map_size_bytes`: use the suite.' : '',
  ];
  return `**One process**: the backfill takes ${formatDays(size.days)} on one machine with ${plural(size.processors, 'free processor')} (${formatNumber(size.actionsPerSecond)} actions/s). The limit is
the busiest thread: \`indexer.deserializer_threads: 2\` takes two fifths of its work. The process takes ${formatMemory(size.memoryBytes)}; all further memory is
page cache.${limits.join('')}
`;
}

function renderShards({ suite }: MeasuredCosts, chain: ChainSize, site: Site): string {
  const [given, recommended] = [sizeShards(suite, chain, site), recommendShards(suite, chain, site)];
  const row = (shards: ShardSizing): string[] => [
    formatCount(shards.blocksPerIndex),
    formatCount(shards.ranges),
    formatCount(shards.indices),
    formatCount(shards.shards),
    `${formatBytes(shards.averageBytes)} (\`${shards.largestKind}\`)`,
    `${formatBytes(shards.busiestBytes)}${shards.isWithinLimits ? '' : ': too large'}`,
  ];
  const headings = [
    '`blocks_per_index`',
    'ranges',
    'indices',
    `shards, ${replicasOf(site)}`,
    'largest on average',
    'in the busiest range',
  ];
  const others = given.blocksPerIndex === recommended.blocksPerIndex ? [] : [row(recommended)];
  return `**Shards** with ${formatCount(site.actionsPerIndex)} \`actions_per_index\`, and \`blocks_per_index\` as given and as large as the limit allows:

${markdownTable([headings, row(given), ...others])}`;
}

function renderNodes({ suite }: MeasuredCosts, chain: ChainSize, site: Site): string {
  const given = sizeShards(suite, chain, site);
  const shards = given.isWithinLimits ? given : recommendShards(suite, chain, site);
  const nodes = sizeNodes(sizeDisk(suite, chain, site), shards, site);
  const { reader, deserializer, indexer } = suite.memoryBytes;
  return `**Machines and memory** of the suite, with ${plural(site.processors, 'processor')} and ${formatMemory(site.memoryBytes)} each and \`blocks_per_index\` ${formatCount(shards.blocksPerIndex)}: ${plural(nodes.hotNodes, 'node')} of
Elasticsearch with ${formatBytes(nodes.hotDiskBytes)} of fast disk each, or ${formatCount(nodes.warmNodes)} with ${formatBytes(nodes.warmDiskBytes)} each where all but the newest blocks are seldom read. Each has
${formatMemory(nodes.heapBytes)} of heap; the rest is page cache. The indices take ${formatMemory(nodes.indicesHeapBytes)} of the elected master's heap. A reader takes ${formatMemory(reader)}, a
deserializer ${formatMemory(deserializer)}, an indexer ${formatMemory(indexer)}; [performance](performance.md#memory) has the most that each took in trouble. The nodes are for
the data; how many machines the processors need is below.
`;
}

function renderStages({ suite }: MeasuredCosts, chain: ChainSize, site: Site): string {
  const rows = sizeStages(suite, chain, 0).map((stage) => [
    STAGE_NAMES[stage.stage],
    formatDays(stage.processorSeconds / SECONDS_PER_DAY),
    formatPercent(stage.share),
    formatNumber(stage.actionsPerSecond),
    Number.isFinite(stage.mostProcessors) ? String(stage.mostProcessors) : 'any number',
  ]);
  const headings = ['stage', 'processor time', 'share', 'actions/s per processor', 'processors it can use'];
  return `**Stages** of a backfill without replicas; with ${replicasOf(site)}, Elasticsearch takes ${1 + site.replicas} times as long:

${markdownTable([headings, ...rows])}`;
}

function renderBackfill({ suite }: MeasuredCosts, chain: ChainSize, { machines, site }: SizingOptions): string {
  const stages = [sizeStages(suite, chain, 0), sizeStages(suite, chain, site.replicas)] as const;
  const sizes = machines.map((count) => stages.map((each) => sizeBackfill(each, count, site.processors)));
  // Once a single stage is the limit of both, further machines change nothing.
  const enough = sizes.findIndex((both) => both.every(({ limit }) => limit !== 'processors'));
  const shown = enough < 0 ? sizes : sizes.slice(0, enough + 1);
  const rows = shown.map(([late, early]) => {
    if (!late || !early) throw new Error('a backfill has stages');
    const { deserializer, indexer, elasticsearch } = late.busyProcessors;
    return [
      formatCount(late.machines),
      formatDays(late.days),
      formatDays(early.days),
      late.limit === 'processors' ? 'processors' : STAGE_NAMES[late.limit],
      ...[deserializer, indexer, elasticsearch].map((busy) => formatCount(instancesFor(busy))),
    ];
  });
  const headings = [
    'machines',
    '`catch_up_replicas` 0',
    `${replicasOf(site)} from the start`,
    'limit',
    'deserializers',
    'indexers',
    'processors of Elasticsearch',
  ];
  return `**Days of the backfill** with N machines of ${plural(site.processors, 'processor')}, which all stages share. The limit and the instances are those with
\`catch_up_replicas\` 0${enough < 0 ? '' : '; more machines change nothing'}:

${markdownTable([headings, ...rows])}`;
}

function renderSaturation({ suite }: MeasuredCosts, chain: ChainSize, { processors }: Site): string {
  const found = findSaturation(sizeStages(suite, chain, 0), processors);
  const [first, last] = [STAGE_SUBJECTS[found.first.stage], STAGE_SUBJECTS[found.last.stage]];
  return `**What saturates first**: with one processor for each stage, ${first}, at ${formatNumber(found.first.actionsPerSecond)} actions/s. Deserializers, indexers and nodes
of Elasticsearch can be added; of the others, the first that is full is ${last}, at ${formatNumber(found.lastActionsPerSecond)} actions/s. The backfill then takes
${formatDays(found.lastDays)} and the processors of ${plural(found.lastMachines, 'machine')}; further ones do not shorten it.
`;
}

function renderRequests({ requests }: MeasuredCosts): string {
  const rows = requests.map(({ name, perSecond }) => [name, formatNumber(perSecond)]);
  return `### Requests

Requests that one processor serves with the embedded store, gateway included, from the processor time of each:

${markdownTable([['request', 'requests/s per processor'], ...rows])}`;
}

function replicasOf({ replicas }: Site): string {
  return replicas === 0 ? 'no replicas' : plural(replicas, 'replica');
}

function plural(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`;
}
