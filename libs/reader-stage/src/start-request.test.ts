import type { HistoryError } from '@antelope-history/schemas';
import type { ShipStatus } from '@antelope-history/ship';
import { checkChain, startBlockOf } from './start-request';

const position = (num: number) => ({ num, id: String(num) });
const statusFrom = (first: number): ShipStatus => ({
  head: position(99),
  lastIrreversible: position(90),
  traceBegin: first + 1,
  traceEnd: 100,
  chainStateBegin: first,
  chainStateEnd: 100,
  chainId: undefined,
});

function codeOf(run: () => unknown): string | undefined {
  try {
    run();
    return undefined;
  } catch (error) {
    return (error as HistoryError).code;
  }
}

describe('checkChain', () => {
  it.each([
    ['both are equal', 'aa', 'aa', undefined],
    ['they differ', 'aa', 'bb', 'CHAIN_ID_MISMATCH'],
    ['the node reports none', undefined, 'bb', undefined],
    ['no chain is indexed yet', 'aa', undefined, undefined],
  ])('when %s', (_when, node, indexed, code) => {
    expect(codeOf(() => checkChain(node, indexed))).toBe(code);
  });
});

describe('startBlockOf', () => {
  it('is the block after the last one', () => {
    expect(startBlockOf(statusFrom(40), position(57), 3)).toBe(58);
    expect(startBlockOf(statusFrom(40), position(40), 0)).toBe(41);
    expect(startBlockOf(statusFrom(1), position(1), 0)).toBe(2);
  });

  it('is the configured block, else the first of the node, for an empty store', () => {
    expect(startBlockOf(statusFrom(40), undefined, 50)).toBe(50);
    expect(startBlockOf(statusFrom(40), undefined, 0)).toBe(40);
  });

  it('does not exist when the node lacks the next block', () => {
    expect(codeOf(() => startBlockOf(statusFrom(40), position(38), 0))).toBe('BLOCK_GAP');
    // Its first block has no traces: they begin one block later.
    expect(codeOf(() => startBlockOf(statusFrom(40), position(39), 0))).toBe('BLOCK_GAP');
    expect(codeOf(() => startBlockOf(statusFrom(40), undefined, 30))).toBe('BLOCK_GAP');
  });

  it('does not exist when the node does not keep a log, or no longer writes it', () => {
    const whole = statusFrom(1);
    for (const last of [undefined, position(57)]) {
      expect(codeOf(() => startBlockOf({ ...whole, traceBegin: 0, traceEnd: 0 }, last, 0))).toBe('SHIP_DATA_MISSING');
      const noState = { ...whole, chainStateBegin: 0, chainStateEnd: 0 };
      expect(codeOf(() => startBlockOf(noState, last, 0))).toBe('SHIP_DATA_MISSING');
      expect(codeOf(() => startBlockOf({ ...whole, traceEnd: 80 }, last, 0))).toBe('SHIP_DATA_MISSING');
    }
  });

  it('exists when the logs end ten blocks below the head, and no further', () => {
    const whole = statusFrom(1);
    expect(startBlockOf({ ...whole, traceEnd: 90 }, position(57), 0)).toBe(58);
    expect(codeOf(() => startBlockOf({ ...whole, traceEnd: 89 }, position(57), 0))).toBe('SHIP_DATA_MISSING');
  });

  it('is the block of a snapshot from which the node has just started', () => {
    const started = { ...statusFrom(40), head: position(40), traceBegin: 0, traceEnd: 0, chainStateEnd: 41 };
    expect(startBlockOf(started, undefined, 0)).toBe(40);
    expect(codeOf(() => startBlockOf(started, position(38), 0))).toBe('BLOCK_GAP');
  });
});
