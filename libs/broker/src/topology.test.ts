import type { BlockRecords, RawBlock } from '@antelope-history/records';
import { TOPOLOGY } from './topology';

const position = { num: 1, id: 'ab'.repeat(32) };
const EMPTY: BlockRecords = {
  chainId: undefined,
  streamPosition: { epoch: 1, sequence: 1 },
  head: position,
  lastIrreversible: position,
  position,
  previous: undefined,
  block: undefined,
  timestamp: 0,
  generation: 'eosio-2.1+',
  hasTraces: true,
  actionRoot: 'ab'.repeat(32),
  rootSequences: [],
  transactions: [],
  abiChanges: [],
  permissionChanges: [],
};

describe('the topology', () => {
  it('gives every queue and every dead-letter queue a name of its own', () => {
    const names = Object.values(TOPOLOGY).flatMap(({ name, deadLetter }) => [name, deadLetter]);
    expect(new Set(names).size).toBe(names.length);
  });

  it('bounds no queue below the prefetch of its consumers', () => {
    for (const { prefetch, maxMessages } of Object.values(TOPOLOGY)) expect(prefetch).toBeLessThanOrEqual(maxMessages);
  });

  it('decodes refetch requests of versions that sent a block number, too', () => {
    const { codec } = TOPOLOGY.refetch;
    const request = { code: 'BLOCK_GAP', reason: 'a block is missing' };
    expect(codec.decode(codec.encode(request))).toEqual(request);
    expect(codec.decode(Buffer.from(JSON.stringify({ fromBlock: 7, ...request })))).toMatchObject(request);
  });

  it.each(['null', '7', '"BLOCK_GAP"', '[]', '{}', '{"code":"BLOCK_GAP"}', '{"code":7,"reason":"x"}', 'BLOCK_GAP'])(
    'refuses %s as a refetch request',
    (text) => {
      expect(() => TOPOLOGY.refetch.codec.decode(Buffer.from(text))).toThrow(
        expect.objectContaining({ code: 'DECODE_FAILED' }),
      );
    },
  );

  it('counts the bytes of a raw block', () => {
    const raw: RawBlock = {
      abi: '{}',
      message: Buffer.alloc(1_234),
      chainId: undefined,
      streamPosition: EMPTY.streamPosition,
    };
    expect(TOPOLOGY.rawBlocks.sizeOf(raw)).toBe(1_234);
  });

  it('counts all bytes of a block of records that a contract can make large', () => {
    const action = { sequence: 1, account: 'a', name: 'b', root: true, accounts: ['a'], bytes: Buffer.alloc(30) };
    const transaction = {
      id: Buffer.alloc(32),
      receiptIndex: 0,
      status: 0,
      cpuUsageUs: 0,
      netUsageWords: 0,
      firstSequence: 1,
      sequenceCount: 2,
      partial: undefined,
      actions: [action, action],
    };
    const authority = { keys: [Buffer.alloc(500)], actors: [] };
    const sizeOf = (records: Partial<BlockRecords>): number => TOPOLOGY.blockRecords.sizeOf({ ...EMPTY, ...records });
    const empty = sizeOf({});
    expect(sizeOf({ block: Buffer.alloc(1_000) })).toBe(empty + 1_000);
    expect(sizeOf({ transactions: [transaction, transaction] })).toBeGreaterThanOrEqual(empty + 120);
    expect(sizeOf({ abiChanges: [{ account: 'a', sequence: 1, abi: Buffer.alloc(70) }] })).toBeGreaterThanOrEqual(
      empty + 70,
    );
    expect(sizeOf({ permissionChanges: [{ owner: 'a', name: 'b', authority }] })).toBeGreaterThanOrEqual(empty + 500);
  });
});
