#!/usr/bin/env node
import { parseArgs } from 'node:util';
import { deserializeBlock } from '@antelope-history/records';
import { openRecording, type Recording } from '@antelope-history/test-support/recordings';
import { createShipProtocol } from '@antelope-history/ship';
import type { Stack } from '@antelope-history/processes';
import { measureBareBulk } from './bare-bulk';
import { ElasticsearchRequests } from './index-documents';
import { listenerOf } from './processor-time';
import { measureStackIngestion, type StackIngestionFigures } from './stack-ingestion';

const USAGE = `npm run bench:suite -- --recording DIR [--deserializers N] [--indexers N] [--apis N]

Indexes a recorded chain with every app as a process of its own on Elasticsearch, RabbitMQ and Redis, and measures from
the socket to the commit of the last block: actions per second, processor time of our processes and of the servers, bytes
per action. A first run warms the servers up. Then a bare loop of _bulk requests writes the same documents: it is the
limit.
`;
/** Defaults of the indexers, see docs/configuration.md. */
const BULK_BYTES = 8 * 1024 * 1024;
const BULK_CONCURRENCY = 2;

const DEFAULT_COUNT = '2';

async function run(args: string[]): Promise<void> {
  const count = { type: 'string', default: DEFAULT_COUNT } as const;
  const options = {
    recording: { type: 'string' },
    deserializers: count,
    indexers: count,
    apis: count,
    help: { type: 'boolean' },
  } as const;
  const { values } = parseArgs({ args, options });
  if (values.help || values.recording === undefined) {
    process.stdout.write(USAGE);
    if (!values.help) process.exitCode = 1;
    return;
  }
  const recording = openRecording(values.recording);
  const expected = countContents(recording);
  const counts = {
    deserializers: Number(values.deserializers),
    indexers: Number(values.indexers),
    apis: Number(values.apis),
  };
  print(`recording      ${expected.messages} messages, ${expected.blocks} blocks, ${expected.actions} actions`);
  // A server that has just started still compiles its own code.
  await measureStackIngestion(values.recording, recording, counts, () => Promise.resolve());
  await measureStackIngestion(values.recording, recording, counts, async (stack, measured) => {
    printFigures(measured, expected);
    await printLimit(stack, measured, expected, BULK_CONCURRENCY * counts.indexers);
  });
}

interface Contents {
  messages: number;
  blocks: number;
  actions: number;
}

/** Counts of a recording without forks. */
function countContents({ abi, messages }: Recording): Contents {
  const protocol = createShipProtocol(abi);
  const blocks = messages.flatMap(({ bytes }) => {
    const result = protocol.readResult(bytes);
    return result.kind === 'blocks' && result.blocks.thisBlock ? [deserializeBlock(result.blocks, protocol)] : [];
  });
  const actions = blocks.flatMap(({ transactions }) => transactions.map((transaction) => transaction.actions.length));
  return {
    messages: messages.length,
    blocks: blocks.length,
    actions: actions.reduce((sum, length) => sum + length, 0),
  };
}

function printFigures(measured: StackIngestionFigures, expected: Contents): void {
  const { seconds, figures, indices, processorSeconds } = measured;
  const documentsOf = (records: string): number => indices.get(records)?.documents ?? 0;
  print(`stack          ${rate(expected.actions / seconds)} actions/s in ${seconds.toFixed(1)} s, socket to committed`);
  print(
    `messages       ${figures.readMessages} read, ${figures.deserializedBlocks} deserialized, ${figures.indexedBlocks} indexed`,
  );
  print(`stored         ${documentsOf('blocks')} blocks, ${documentsOf('actions')} actions`);
  for (const [name, used] of processorSeconds) {
    print(`processor      ${name.padEnd(14)} ${used === undefined ? 'not on this machine' : `${used.toFixed(1)} s`}`);
  }
  const bytes = [...indices.values()].reduce((sum, index) => sum + index.bytes, 0);
  const parts = [...indices].map(([records, index]) => `${records} ${(index.bytes / expected.actions).toFixed(1)}`);
  print(`Elasticsearch  ${(bytes / expected.actions).toFixed(1)} bytes per action, merged: ${parts.join(', ')}`);
  const isComplete =
    figures.readMessages === expected.messages &&
    documentsOf('blocks') === expected.blocks &&
    documentsOf('actions') === expected.actions;
  print(
    isComplete ? 'the counts of messages, blocks and actions are equal to those of the recording' : 'COUNTS DIFFER',
  );
  if (!isComplete) process.exitCode = 1;
}

async function printLimit(
  { set }: Stack,
  { seconds }: StackIngestionFigures,
  { actions }: Contents,
  concurrency: number,
): Promise<void> {
  const url = set.servers.get('elasticsearch') ?? '';
  const requests = new ElasticsearchRequests(url);
  const serverPid = listenerOf(Number(new URL(url).port));
  // Below the stack's own prefix, so that the stack removes them.
  const to = `${set.name}-bare`;
  const limit = await measureBareBulk({ requests, from: set.name, to, bulkBytes: BULK_BYTES, concurrency, serverPid });
  const used = limit.serverSeconds === undefined ? '' : ` by ${limit.serverSeconds.toFixed(1)} s of its processors`;
  print(
    `bare _bulk     ${rate(actions / limit.seconds)} actions/s: ${limit.documents} equal documents in ` +
      `${limit.seconds.toFixed(1)} s${used}; the stack reaches ${(limit.seconds / seconds).toFixed(2)} of it`,
  );
}

const rate = (perSecond: number): string => Math.round(perSecond).toLocaleString('en');
const print = (line: string): void => void process.stdout.write(`${line}\n`);

run(process.argv.slice(2)).catch((error: unknown) => {
  process.stderr.write(`bench: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
