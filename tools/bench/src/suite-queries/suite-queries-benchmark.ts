import { Client } from '@elastic/elasticsearch';
import { parseNumber } from '@antelope-history/processes';
import type { BlockRecords } from '@antelope-history/records';
import { holdServices, identify, releaseServices, SERVICE_NAMES } from '@antelope-history/servers';
import { openRecording } from '@antelope-history/test-support/recordings';
import { writeBenchmarkFile } from '../benchmark-file';
import { readOptions } from '../command-line';
import { recordedBlocks } from '../recorded-blocks';
import { LOAD_OPTIONS, type LoadOptions, readLoadOptions } from '../load-options';
import { factsOfLayout, readFacts, type RecordedFacts } from './chain-facts';
import { type IndexedLayout, indexLayout } from './indexed-layout';
import { measureLayout, type QueryFigures, ratiosOf } from './measure';
import { suiteCases } from './suite-cases';

const USAGE = `npm run bench -- suite-queries --recording DIR [--few N] [--many N] [--runs N] [--seconds N] [--out FILE]

Indexes a recorded chain into Elasticsearch twice: with --few and with --many blocks per index (128 and 1 by default; 0: not at all).
Requests of each kind go to a history API of each, through a gateway too, in turns with the one bare search that the response needs,
sent with the same client, and with the requests to Elasticsearch that the API sends for the response, recorded and sent by the client of
the bare search ("requests"): what a response cannot be without. Ratios are medians of the runs, with the lowest and the highest. --out
writes all figures as JSON.
Exit status 1 if a response ever differs from what the bare search found. Replays a recording without forks.
`;

const POSITION = 60_000;
/** 0: this layout is left out. */
const BLOCKS_PER_INDEX = [0, 1_000_000_000] as const;
const MAX_SHARDS = 4_000;

/** Requests to the distributed set. */
export async function benchSuiteQueries(args: string[]): Promise<void> {
  const text = (value: string) => ({ type: 'string', default: value }) as const;
  const described = { ...LOAD_OPTIONS, few: text('128'), many: text('1') } as const;
  const values = readOptions(args, { usage: USAGE, options: described, required: ['recording'] });
  if (!values) return;
  const options = readLoadOptions(values);
  const perIndex = [
    parseNumber('few', values.few, BLOCKS_PER_INDEX),
    parseNumber('many', values.many, BLOCKS_PER_INDEX),
  ].filter((blocks) => blocks > 0);
  const figures = await measureAll(recordedBlocks(openRecording(values.recording)), perIndex, options);
  for (const figure of figures) print(cellsOf(figure));
  writeBenchmarkFile(values.out, { benchmark: 'suite-queries', options, figures });
  if (figures.some(({ equal }) => !equal)) process.exitCode = 1;
}

async function measureAll(
  blocks: BlockRecords[],
  perIndex: readonly number[],
  options: LoadOptions,
): Promise<QueryFigures[]> {
  const holder = identify(process.pid);
  if (!holder) throw new Error('this process has no identity');
  const services = await holdServices(SERVICE_NAMES, holder, (line) => void process.stderr.write(`${line}\n`));
  const url = services.available.get('elasticsearch')?.url;
  if (url === undefined) throw new Error(services.missing.get('elasticsearch') ?? 'no Elasticsearch');
  const client = new Client({ node: url });
  // By default a server refuses more than 1,000 shards.
  await client.cluster.putSettings({ persistent: { 'cluster.max_shards_per_node': MAX_SHARDS } });
  const layouts: IndexedLayout[] = [];
  try {
    const facts = readFacts(blocks);
    for (const each of perIndex) {
      const layout = await indexLayout(services, client, blocks, each);
      layouts.push(layout);
      process.stderr.write(`${blocks.length} blocks in ${layout.ranges} ranges\n`);
    }
    print(HEADINGS);
    return await measureLayout(client, layouts, casesOf(facts, layouts), options);
  } finally {
    for (const layout of layouts) await layout.remove();
    await client.cluster.putSettings({ persistent: { 'cluster.max_shards_per_node': null } });
    await client.close();
    await releaseServices(holder);
  }
}

function casesOf(facts: RecordedFacts, layouts: readonly IndexedLayout[]) {
  const pos = Math.min(POSITION, facts.activeRows.length >> 1);
  return layouts.map(({ prefix, blocksPerIndex }) => suiteCases(factsOfLayout(facts, prefix, blocksPerIndex, pos)));
}

const HEADINGS = [
  ...['request', 'ranges', 'p50 ms', 'bare', 'p50', 'requests', 'p99'],
  ...['req/s', 'bare', 'ratio', 'requests', 'many/few', 'equal'],
];

function cellsOf(figure: QueryFigures): string[] {
  const { p50, p99, perSecond, manyToFew, requestsP50, requestsPerSecond } = ratiosOf(figure);
  return [
    figure.name,
    String(figure.ranges),
    figure.median.service.p50.toFixed(2),
    figure.median.bare?.p50.toFixed(2) ?? '',
    p50,
    requestsP50,
    p99,
    figure.median.service.perSecond.toFixed(0),
    figure.median.bare?.perSecond.toFixed(0) ?? '',
    perSecond,
    requestsPerSecond,
    manyToFew,
    figure.equal ? 'yes' : 'NO',
  ];
}

const WIDTHS = [26, 7, 8, 8, 18, 18, 18, 8, 8, 18, 18, 18, 6];

function print(cells: string[]): void {
  const line = cells.map((cell, index) =>
    index === 0 ? cell.padEnd(WIDTHS[0] ?? 0) : cell.padStart(WIDTHS[index] ?? 0),
  );
  process.stdout.write(`${line.join(' ')}\n`);
}
