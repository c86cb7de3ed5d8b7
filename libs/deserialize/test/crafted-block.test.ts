import { writeName } from '@antelope-history/abi';
import { openSample } from '@antelope-history/test-support/recordings';
import { HistoryError } from '@antelope-history/schemas';
import { createShipProtocol, readReceipts, type BlocksResult } from '@antelope-history/ship';
import { deserializeBlock } from '../src/index';
import { decodeActionRecord, type ActionRecord, type ActionTrace, type BlockRecords } from '@antelope-history/records';
import { nameOf } from './encoded-action';
import { packNestedTraces, packTraces } from './pack-traces';

const recording = openSample('leap-edge');
const protocol = createShipProtocol(recording.abi);
const results = recording.messages.map(({ bytes }) => {
  const result = protocol.readResult(bytes);
  if (result.kind !== 'blocks') throw new Error('not a result of blocks');
  return result.blocks;
});
const emptyBlock = results.find(({ block, traces }) => block && traces && readReceipts(block).length === 0)!;
const fullBlock = results.find(({ block }) => block && readReceipts(block).length > 1)!;

const NO_DELTAS = Buffer.of(0);

/** The result of a node for a block with one transaction of these traces and no receipt. */
function withTraces(traces: Buffer): BlocksResult {
  return { ...emptyBlock, traces, deltas: NO_DELTAS };
}

function deserialize(action: ActionRecord): BlockRecords {
  return deserializeBlock(withTraces(packTraces(action)), protocol);
}

function refusal(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof HistoryError) return error.code;
    throw error;
  }
  return 'not refused';
}

function makeTrace(change: Partial<ActionTrace> & { globalSequence?: number } = {}): ActionTrace {
  const { globalSequence = 1, ...rest } = change;
  return {
    ordinal: 1,
    creatorOrdinal: 0,
    closestUnnotifiedAncestorOrdinal: 0,
    receiver: 'eosio',
    receipt: {
      actDigest: 'ab'.repeat(32),
      globalSequence,
      recvSequence: 1n,
      authSequence: [],
      codeSequence: 1,
      abiSequence: 1,
    },
    elapsed: 0n,
    console: Buffer.alloc(0),
    accountRamDeltas: [],
    except: undefined,
    errorCode: undefined,
    returnValue: Buffer.alloc(0),
    ...rest,
  };
}

function makeAction(change: Partial<ActionRecord> = {}): ActionRecord {
  return {
    account: 'eosio',
    name: 'onblock',
    authorization: [],
    data: Buffer.alloc(0),
    contextFree: false,
    traces: [makeTrace()],
    ...change,
  };
}

describe('deserializeBlock', () => {
  it('deserializes an action of 64,000 authorizers within 500 ms of processor time', () => {
    const actors = Array.from({ length: 32_000 }, (_, index) => nameOf(BigInt(index + 1) << 40n));
    const authorization = [...actors, ...actors].map((actor) => ({ actor, permission: 'active' }));
    const result = withTraces(packTraces(makeAction({ authorization })));
    const times: number[] = [];
    for (let tries = 0; tries < 3; tries++) {
      const start = process.cpuUsage();
      const [transaction] = deserializeBlock(result, protocol).transactions;
      const { user, system } = process.cpuUsage(start);
      times.push((user + system) / 1_000);
      expect(transaction!.actions[0]!.accounts).toEqual(['eosio', ...actors]);
    }
    expect(Math.min(...times)).toBeLessThan(500);
  });

  it('accepts the same encodings of the ABI length of a setabi as nodeos', () => {
    const account = Buffer.alloc(8);
    writeName('alice', account, 0);
    // 3 with more bytes than needed and with bits above the 32nd, which nodeos drops.
    const data = Buffer.concat([account, Buffer.from([0x83, 0x80, 0x80, 0x80, 0x70]), Buffer.from('abi')]);
    const { abiChanges } = deserialize(
      makeAction({ name: 'setabi', data, traces: [makeTrace({ globalSequence: 77 })] }),
    );
    expect(abiChanges).toEqual([{ account: 'alice', sequence: 77, abi: Buffer.from('abi') }]);
  });

  it('groups a notification of a notification with its action', () => {
    const receivers = ['token', 'alice', 'bob'];
    const traces = receivers.map((receiver, index) =>
      makeTrace({ ordinal: index + 1, creatorOrdinal: index, receiver, globalSequence: index + 1 }),
    );
    const [transaction] = deserialize(makeAction({ account: 'token', name: 'transfer', traces })).transactions;
    expect(transaction!.actions.length).toBe(1);
    const [entry] = transaction!.actions;
    expect(entry!.accounts).toEqual(receivers);
    const ancestors = decodeActionRecord(entry!.bytes, 1).traces.map((each) => each.closestUnnotifiedAncestorOrdinal);
    expect(ancestors).toEqual([0, 1, 1]);
  });

  it('resets the nesting depth after failed transactions that are nested too deep', () => {
    const tooDeep = withTraces(packNestedTraces(makeAction(), 6));
    for (let failure = 0; failure < 20; failure++) {
      expect(refusal(() => deserializeBlock(tooDeep, protocol))).toBe('DECODE_FAILED');
      const cut = withTraces(packNestedTraces(makeAction(), 2).subarray(0, 300));
      expect(refusal(() => deserializeBlock(cut, protocol))).toBe('DECODE_FAILED');
    }
    expect(deserializeBlock(withTraces(packNestedTraces(makeAction(), 1)), protocol).transactions.length).toBe(1);
  });

  it.each([
    ['a wrong ordinal', [makeTrace({ ordinal: 2 })]],
    ['an action whose creator is later', [makeTrace({ creatorOrdinal: 1 })]],
    ['sequences with a gap', [makeTrace(), makeTrace({ ordinal: 2, globalSequence: 3 })]],
    ['two actions with one sequence', [makeTrace(), makeTrace({ ordinal: 2 })]],
  ])('refuses %s', (_what, traces) => {
    expect(refusal(() => deserialize(makeAction({ traces })))).toBe('DECODE_FAILED');
  });

  it.each(['block', 'traces', 'deltas'] as const)('refuses a block that follows another one without its %s', (part) => {
    expect(refusal(() => deserializeBlock({ ...emptyBlock, [part]: undefined }, protocol))).toBe('SHIP_DATA_MISSING');
  });

  it('takes the first block of a history without traces and deltas, but not with half of what it needs', () => {
    const first = { prevBlock: undefined, traces: undefined, deltas: undefined };
    expect(deserializeBlock({ ...emptyBlock, ...first }, protocol).transactions).toEqual([]);
    const halves = [
      { ...fullBlock, prevBlock: undefined, traces: undefined },
      { ...fullBlock, prevBlock: undefined, block: undefined },
    ];
    for (const half of halves) expect(refusal(() => deserializeBlock(half, protocol))).toBe('SHIP_DATA_MISSING');
  });

  it('refuses more or fewer traces than receipts', () => {
    expect(refusal(() => deserializeBlock({ ...fullBlock, block: emptyBlock.block }, protocol))).toBe('DECODE_FAILED');
    expect(refusal(() => deserializeBlock({ ...emptyBlock, block: fullBlock.block }, protocol))).toBe('DECODE_FAILED');
  });

  it('refuses a block that ends before its last field', () => {
    const block = emptyBlock.block!.subarray(0, -1);
    expect(refusal(() => deserializeBlock({ ...emptyBlock, block }, protocol))).toBe('DECODE_FAILED');
  });

  it('refuses a result without a block position', () => {
    expect(refusal(() => deserializeBlock({ ...emptyBlock, thisBlock: undefined }, protocol))).toBe('DECODE_FAILED');
  });
});
