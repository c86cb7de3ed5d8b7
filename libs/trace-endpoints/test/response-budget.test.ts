import {
  blockAt,
  makeAction,
  makeDecoders,
  makeTrace,
  readRecordedChain,
  received,
  runSteps,
  storedBlockOf,
} from '@antelope-history/endpoint-testing';
import { ResponseBudget } from '@antelope-history/responses';
import type { ChainStatus } from '@antelope-history/store';
import type { GetTraceBlockResponse } from '@antelope-history/trace-routes';
import { renderBlockTraces, type StoredBlockTraces } from '../src/get-block-response';

const MAX_BYTES = 32 * 1024 * 1024;
const STATUS: ChainStatus = {
  chainId: undefined,
  firstBlockNum: 1,
  committed: undefined,
  head: undefined,
  lastIrreversible: undefined,
  committedTimestamp: undefined,
  dataFields: {},
  revision: 1,
};

/** Fields of a transaction's header. */
const NO_LIMITS = {
  expiration: 0,
  refBlockNum: 0,
  refBlockPrefix: 0,
  maxNetUsageWords: 0,
  maxCpuUsageMs: 0,
  delaySec: 0,
};

function varuint(value: number): Buffer {
  const bytes: number[] = [];
  for (let rest = value; ; rest >>>= 7) {
    if (rest < 0x80) return Buffer.from([...bytes, rest]);
    bytes.push((rest & 0x7f) | 0x80);
  }
}

describe('a block of traces', () => {
  const chain = readRecordedChain('leap-edge');

  it('shows 250 actions of 16 KB each, undecoded once the work is spent', () => {
    const stored = storedBlockOf(blockAt(chain, 10));
    const data = Buffer.concat([Buffer.from([0x80, 0x80, 0x01]), Buffer.alloc(16_384, 1)]);
    const actions = Array.from({ length: 250 }, (_, index) => {
      const trace = makeTrace();
      return makeAction({
        name: 'a',
        data,
        traces: [{ ...trace, receipt: { ...trace.receipt, globalSequence: index } }],
      });
    });
    const record = { id: Buffer.alloc(32), receiptIndex: -1, status: 0, cpuUsageUs: 0, netUsageWords: 0 };
    const traces = {
      status: STATUS,
      block: stored,
      transactions: [{ record, actions }],
    } as unknown as StoredBlockTraces;
    const budget = new ResponseBudget();
    const decoders = makeDecoders('x'.repeat(30), 'int64[]');
    const { body, bytes } = received<GetTraceBlockResponse>(runSteps(renderBlockTraces(traces, decoders, budget)));
    expect(bytes).toBeLessThan(MAX_BYTES);
    expect(body.transactions[0]?.actions).toHaveLength(250);
    expect(budget.decoding.spent).toBeLessThanOrEqual(budget.decoding.total);
  });

  /** A block of transactions of one action each, with a blob of data, a return value and a signature of so many bytes. */
  function renderOf(count: number, dataBytes: number, returnedBytes: number, signatureBytesOf = (_: number) => 0) {
    const data = Buffer.concat([varuint(dataBytes), Buffer.alloc(dataBytes, 1)]);
    const returnValue = Buffer.alloc(returnedBytes, 1);
    const record = { id: Buffer.alloc(32), receiptIndex: -1, status: 0, cpuUsageUs: 0, netUsageWords: 0 };
    const partialOf = (signatureBytes: number) => {
      const signatures = signatureBytes > 0 ? [Buffer.alloc(signatureBytes, 1)] : [];
      return { id: 'ab'.repeat(32), ...NO_LIMITS, signatures };
    };
    const transactions = Array.from({ length: count }, (_, index) => ({
      record: { ...record, partial: partialOf(signatureBytesOf(index)) },
      actions: [makeAction({ name: 'a', data, traces: [{ ...makeTrace(), returnValue }] })],
    }));
    const traces = { status: STATUS, block: storedBlockOf(blockAt(chain, 10)), transactions };
    const steps = renderBlockTraces(
      traces as unknown as StoredBlockTraces,
      makeDecoders('x', 'bytes'),
      new ResponseBudget(),
    );
    return received<GetTraceBlockResponse>(runSteps(steps));
  }

  it('has as much data decoded as fits beside what follows undecoded', () => {
    // Undecoded, they take three quarters of a response.
    const { body, bytes } = renderOf(60, 200 * 1024, 0);
    const decoded = body.transactions.filter(({ actions }) => actions[0]?.params !== undefined).length;
    expect(bytes).toBeLessThan(MAX_BYTES);
    expect(decoded).toBeGreaterThan(19);
  });

  it.each([
    ['signatures of transactions', 1_000, 6 * 1024, 5_000],
    ['fields that each transaction has', 10_000, 900, 0],
  ])('counts the %s', (_, count, dataBytes, signatureBytes) => {
    // Undecoded, the actions leave room for them; decoded, they would take a whole response and more.
    const { body, bytes } = renderOf(count, dataBytes, 0, () => signatureBytes);
    expect(bytes).toBeLessThan(MAX_BYTES);
    expect(body.transactions).toHaveLength(count);
  });

  it('has less data decoded for a signature of the last transaction', () => {
    const { body, bytes } = renderOf(60, 200 * 1024, 0, (index) => (index === 59 ? 2_000_000 : 0));
    expect(bytes).toBeLessThan(MAX_BYTES);
    expect(body.transactions.at(-1)?.signatures).toHaveLength(1);
  });

  it('counts return values among what follows', () => {
    // Alone they would take a whole response and more.
    const { body, bytes } = renderOf(66, 1024, 256 * 1024);
    expect(bytes).toBeLessThan(MAX_BYTES);
    expect(body.transactions).toHaveLength(66);
  });
});
