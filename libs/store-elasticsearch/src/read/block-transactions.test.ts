import type { TransactionHeader } from '@antelope-history/records';
import { type ActionPlan, EMPTY_BLOCK, SyntheticChain } from '@antelope-history/store/contract';
import type { FoundRecord } from '../indices/hits';
import { transactionsWith } from './block-transactions';

const ACTION: ActionPlan = {
  account: 'token',
  name: 'transfer',
  actor: 'alice',
  notified: ['bob'],
  creatorDistance: 0,
  dataBytes: 8,
};
const BLOCK = new SyntheticChain().block(undefined, {
  ...EMPTY_BLOCK,
  transactions: [[ACTION], [ACTION, ACTION, ACTION], [ACTION, ACTION]],
});
const HEADERS: readonly TransactionHeader[] = BLOCK.transactions;
const RECORDS = BLOCK.transactions.flatMap(({ actions }) =>
  actions.map(({ sequence, bytes }): FoundRecord => ({ sequence, record: bytes })),
);

describe('the transactions of a block with their actions', () => {
  it('gives each transaction the actions of its sequences', () => {
    const found = transactionsWith(RECORDS, HEADERS);
    expect(found.map(({ record }) => record)).toEqual(HEADERS);
    expect(found.map(({ actions }) => actions.map(({ traces }) => traces[0]?.receipt.globalSequence))).toEqual(
      BLOCK.transactions.map(({ actions }) => actions.map(({ sequence }) => sequence)),
    );
  });

  it('keeps the order of the transactions, whatever their sequences are', () => {
    const reversed = HEADERS.toReversed();
    expect(transactionsWith(RECORDS, reversed)).toEqual(transactionsWith(RECORDS, HEADERS).toReversed());
  });

  it('passes over actions that belong to none of the transactions', () => {
    const [, ...later] = HEADERS;
    expect(transactionsWith(RECORDS, later)).toEqual(transactionsWith(RECORDS, HEADERS).slice(1));
    expect(transactionsWith(RECORDS, HEADERS.slice(0, 2))).toEqual(transactionsWith(RECORDS, HEADERS).slice(0, 2));
  });

  it.each(RECORDS.map((_, index) => index))('rejects a block without one of its actions: %i', (index) => {
    const others = RECORDS.filter((_, other) => other !== index);
    expect(() => transactionsWith(others, HEADERS)).toThrow(expect.objectContaining({ code: 'STORE_UNAVAILABLE' }));
  });

  it('has no transactions in an empty block', () => {
    expect(transactionsWith([], [])).toEqual([]);
  });
});
