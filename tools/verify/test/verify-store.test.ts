import { deserializeBlock } from '@antelope-history/deserialize';
import type { BlockRecords } from '@antelope-history/records';
import { createShipProtocol } from '@antelope-history/ship';
import type { BlockTracesLookup, HistoryReader } from '@antelope-history/store';
import { openLmdbStoreReader } from '@antelope-history/store-lmdb/reader';
import { openLmdbStoreWriter } from '@antelope-history/store-lmdb/writer';
import {
  openRecording,
  type Recording,
  sampleFolder,
  SAMPLES,
  V1_MESSAGES_FILE,
} from '@antelope-history/test-support/recordings';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { runVerify, type StoredFault, verifyStore } from '../src/index';

const folder = mkdtempSync(path.join(tmpdir(), 'antelope-history-verify-'));
afterAll(() => rmSync(folder, { recursive: true }));

function recordsOf({ abi, messages }: Recording): BlockRecords[] {
  const protocol = createShipProtocol(abi);
  return messages.flatMap(({ bytes }) => {
    const result = protocol.readResult(bytes);
    return result.kind === 'blocks' && result.blocks.thisBlock ? [deserializeBlock(result.blocks, protocol)] : [];
  });
}

/** A data directory with the blocks of a recording, forks included. */
async function index(name: string, recording: Recording): Promise<string> {
  const data = path.join(folder, name);
  const writer = await openLmdbStoreWriter({ path: data, mapSizeBytes: 0 });
  for (const records of recordsOf(recording)) await writer.writeBlocks([records]);
  await writer.close();
  return data;
}

async function verify(
  reader: HistoryReader,
): Promise<{ faults: StoredFault[]; unproved: number; next: number; to: number }> {
  const faults: StoredFault[] = [];
  const { firstBlockNum, committed } = await reader.getStatus();
  const to = committed!.num;
  const { counts, next } = await verifyStore(reader, {
    from: firstBlockNum!,
    to,
    signal: new AbortController().signal,
    onFault: (fault) => faults.push(fault),
    onBlock: () => undefined,
  });
  expect(counts.faults).toBe(faults.length);
  return { faults, unproved: counts.blocks - counts.provedBlocks, next, to };
}

describe.each(SAMPLES)('the store of %s', (sample) => {
  it('verifies, but for the actions of the first block', async () => {
    const messages = sample === 'spring-savanna' ? V1_MESSAGES_FILE : undefined;
    const reader = await openLmdbStoreReader({
      path: await index(sample, openRecording(sampleFolder(sample), messages)),
      mapSizeBytes: 0,
    });
    const { faults, unproved, next, to } = await verify(reader);
    await reader.close();
    expect(faults).toEqual([]);
    expect([unproved, next]).toEqual([sample === 'leap-snapshot' ? 0 : 1, to + 1]);
  });
});

describe('a damaged store', () => {
  let reader: Awaited<ReturnType<typeof openLmdbStoreReader>>;
  beforeAll(async () => {
    reader = await openLmdbStoreReader({
      path: await index('damaged', openRecording(sampleFolder('leap-edge'))),
      mapSizeBytes: 0,
    });
  });
  afterAll(() => reader.close());

  /** The store with the response about one block changed. */
  function changed(num: number, change: (found: BlockTracesLookup) => BlockTracesLookup): HistoryReader {
    return {
      ...reader,
      getStatus: () => reader.getStatus(),
      getBlockTraces: async (selector) => {
        const found = await reader.getBlockTraces(selector);
        return typeof selector === 'object' && 'num' in selector && selector.num === num ? change(found) : found;
      },
    };
  }

  const codesOf = ({ faults }: { faults: StoredFault[] }): string[] =>
    faults.map(({ blockNum, code }) => `${blockNum} ${code}`);

  it('shows a block that is missing', async () => {
    const found = await verify(changed(150, ({ status }) => ({ status, block: undefined, transactions: [] })));
    expect(codesOf(found)[0]).toBe('150 missing');
  });

  it('shows a block of another branch by its link', async () => {
    const other = await reader.getBlockTraces({ num: 151 });
    const found = await verify(
      changed(150, (own) => ({
        ...other,
        block: other.block && { ...other.block, position: { ...other.block.position, num: 150 } },
        status: own.status,
      })),
    );
    expect(codesOf(found)).toEqual(expect.arrayContaining(['150 id', '150 link', '151 link']));
  });

  it('shows an action that is missing by the root and by the sequences', async () => {
    const found = await verify(
      changed(150, (own) => ({
        ...own,
        transactions: own.transactions.map(({ record, actions }) => ({ record, actions: actions.slice(1) })),
      })),
    );
    expect(codesOf(found)).toEqual(
      expect.arrayContaining(['150 action_mroot', '151 global_sequence', '151 recv_sequence']),
    );
  });

  it('shows bytes that are no block', async () => {
    const found = await verify(
      changed(150, (own) => ({ ...own, block: own.block && { ...own.block, block: own.block.block.subarray(0, 50) } })),
    );
    expect(codesOf(found)[0]).toBe('150 corrupt');
  });
});

describe('npm run verify', () => {
  const run = async (args: string[], data: string): Promise<{ status: number; printed: string[] }> => {
    const printed: string[] = [];
    const print = (line: string): void => void printed.push(line);
    const status = await runVerify({
      args,
      environment: { HISTORY_STORE__LMDB__PATH: data },
      print,
      progress: { show: () => undefined, print, close: () => undefined },
      signal: new AbortController().signal,
    });
    return { status, printed };
  };

  it('verifies a range and prints its counts, as JSON when asked', async () => {
    const data = path.join(folder, 'leap-forks');
    const { status, printed } = await run(['--from', '20', '--to', '40'], data);
    expect([status, printed]).toEqual([
      0,
      [expect.stringMatching(/^blocks 20 to 40: 21 verified, \d+ traces, 0 faults$/)],
    ]);
    const json = await run(['--from', '20', '--to', '40', '--json'], data);
    expect(JSON.parse(json.printed.join(''))).toMatchObject({
      from: 20,
      to: 40,
      blocks: 21,
      provedBlocks: 21,
      faults: 0,
    });
  });

  it('refuses a range that is none', async () => {
    await expect(run(['--from', 'x'], folder)).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  });
});
