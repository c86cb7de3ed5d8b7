import { ABI, Serializer } from '@wharfkit/antelope';
import { isDeepStrictEqual } from 'node:util';
import { deserializeBlock } from '@antelope-history/deserialize';
import { type BlockRecords, decodeActionRecord } from '@antelope-history/records';
import { type BlocksResult, createShipProtocol, type ShipProtocol } from '@antelope-history/ship';
import type { Recording } from '@antelope-history/test-support/recordings';

export interface DecodingFigures {
  traces: number;
  transactions: number;
  actions: number;
  /** Action traces per second, parsed without keeping data. */
  structuralRate: number;
  /** Action traces per second, converted to records. */
  recordsRate: number;
  /** Action traces per second of `@wharfkit/antelope`, and ours on the same messages. */
  wharfkitRate: number;
  oursBesideWharfkitRate: number;
  wharfkitTraces: number;
}

/** `@wharfkit/antelope` is slow, so it decodes only the first traces of the recording. */
const WHARFKIT_TRACES = 20_000;

/** Measures decoding alone, in this process. Throws when the two decoders disagree. */
export function measureDecoding(recording: Recording): DecodingFigures {
  const protocol = createShipProtocol(recording.abi);
  const results = recording.messages.map(({ bytes }) => blocksOf(protocol, bytes));
  const structural = timed(() => countTraces(protocol, results));
  const records = timed(() =>
    results.filter((result) => result.thisBlock).map((one) => deserializeBlock(one, protocol)),
  );
  const wharfkit = measureWharfkit(recording, protocol, results);
  return {
    traces: structural.value,
    transactions: sum(records.value, (block) => block.transactions.length),
    actions: sum(records.value, (block) => sum(block.transactions, ({ actions }) => actions.length)),
    structuralRate: structural.value / structural.seconds,
    recordsRate: structural.value / records.seconds,
    ...wharfkit,
  };
}

function blocksOf(protocol: ShipProtocol, message: Buffer): BlocksResult {
  const result = protocol.readResult(message);
  if (result.kind !== 'blocks') throw new Error('the recording has a message that is not a blocks result');
  return result.blocks;
}

function countTraces(protocol: ShipProtocol, results: BlocksResult[]): number {
  let traces = 0;
  for (const { traces: bytes } of results)
    if (bytes) protocol.readTraces(bytes, (trace) => (traces += trace.actionCount));
  return traces;
}

/** The fields that both decoders must decode alike, per action trace. */
type Summary = [receiver: string, name: string, globalSequence: string];

function measureWharfkit(
  recording: Recording,
  protocol: ShipProtocol,
  results: BlocksResult[],
): Pick<DecodingFigures, 'wharfkitRate' | 'oursBesideWharfkitRate' | 'wharfkitTraces'> {
  const first = firstTraces(protocol, results);
  const abi = ABI.from(recording.abi);
  const theirs = timed(() =>
    first.map((result) => Serializer.decode({ abi, data: result.traces, type: 'transaction_trace[]' })),
  );
  const ours = timed(() => first.map((result) => deserializeBlock(result, protocol)));
  const wharfkitTraces = countTraces(protocol, first);
  const expected = theirs.value.flatMap((traces) =>
    summariesOfWharfkit(Serializer.objectify(traces) as WharfkitTransaction[]),
  );
  if (!isDeepStrictEqual(ours.value.flatMap(summariesOfOurs), expected)) throw new Error('the two decoders disagree');
  return {
    wharfkitTraces,
    wharfkitRate: wharfkitTraces / theirs.seconds,
    oursBesideWharfkitRate: wharfkitTraces / ours.seconds,
  };
}

function firstTraces(protocol: ShipProtocol, results: BlocksResult[]): BlocksResult[] {
  const first: BlocksResult[] = [];
  let traces = 0;
  for (const result of results) {
    if (traces >= WHARFKIT_TRACES) break;
    if (!result.traces || !result.thisBlock) continue;
    first.push(result);
    traces += countTraces(protocol, [result]);
  }
  return first;
}

type Tagged<T> = [type: string, value: T];

interface WharfkitTransaction0 {
  status: number;
  action_traces: Tagged<{
    receiver: string;
    act: { name: string };
    receipt: Tagged<{ global_sequence: string | number }>;
  }>[];
}
type WharfkitTransaction = Tagged<WharfkitTransaction0>;

function summariesOfWharfkit(transactions: WharfkitTransaction[]): Summary[] {
  const summaries = transactions
    .filter(([, { status }]) => status === 0)
    .flatMap(([, { action_traces }]) =>
      action_traces.map(([, trace]): Summary => [
        trace.receiver,
        trace.act.name,
        String(trace.receipt[1].global_sequence),
      ]),
    );
  return bySequence(summaries);
}

function summariesOfOurs(block: BlockRecords): Summary[] {
  const summaries = block.transactions.flatMap(({ actions, firstSequence }) =>
    actions.flatMap(({ bytes }) => {
      const { name, traces } = decodeActionRecord(bytes, firstSequence);
      return traces.map((trace): Summary => [trace.receiver, name, String(trace.receipt.globalSequence)]);
    }),
  );
  return bySequence(summaries);
}

function bySequence(summaries: Summary[]): Summary[] {
  return summaries.sort((left, right) => Number(left[2]) - Number(right[2]));
}

function timed<T>(work: () => T): { value: T; seconds: number } {
  const start = process.hrtime.bigint();
  const value = work();
  return { value, seconds: Number(process.hrtime.bigint() - start) / 1e9 };
}

function sum<T>(items: readonly T[], of: (item: T) => number): number {
  return items.reduce((total, item) => total + of(item), 0);
}
