import { expect } from '@jest/globals';
import { parseDataField } from '@antelope-history/data-fields';
import type { BlockRecords } from '@antelope-history/records';
import type { ActionsQuery, StoreReader, StoreWriter } from '../history-store';
import { ABIS, DATA } from './data-plans';
import { EVERY_ACTION } from './every-action';
import { ReaderSessions } from './reader-sessions';
import { type BlockPlan, SyntheticChain } from './synthetic-chain';

/** One set of data, opened again and again with other fields. */
export interface ReopenedStore {
  openWriter(dataFields: readonly string[]): Promise<StoreWriter>;
  openReader(): Promise<StoreReader>;
}

const TRANSFER = { account: 'alice', name: 'transfer', actor: 'bob', notified: [], creatorDistance: 0, dataBytes: 0 };
const PLAN: BlockPlan = {
  transactions: [[{ ...TRANSFER, data: DATA[1] }]],
  abis: [],
  permissions: [],
};
const TO = 'alice:transfer.to';
const AMOUNT = 'alice:transfer.amount';

/**
 * Fields are added and removed between blocks, and a fork replaces the first blocks with a field: the status says from which block
 * on each field is indexed, and queries from there on find every action.
 */
export async function expectFieldRanges({ openWriter, openReader }: ReopenedStore): Promise<void> {
  const made = new SyntheticChain();
  const sessions = new ReaderSessions();
  let chain: BlockRecords[] = [];
  const write = async (fields: readonly string[], parent: number, plans: readonly BlockPlan[]): Promise<void> => {
    chain = chain.filter(({ position }) => position.num <= parent);
    const blocks = made.blocks(chain.at(-1), plans);
    chain = [...chain, ...blocks];
    const writer = await openWriter(fields);
    sessions.begin();
    await writer.writeBlocks(sessions.read(blocks));
    await writer.close();
  };
  const reader = await openReader();
  const expectRange = async (ranges: Record<string, number>): Promise<void> => {
    expect((await reader.getStatus()).dataFields).toEqual(ranges);
    for (const [key, from] of Object.entries(ranges)) {
      const { rows } = await reader.getActions(queryOf(key, from));
      const expected = chain.filter(({ position }) => position.num >= from).map(({ position }) => position.num);
      expect([key, rows.map(({ blockNum }) => blockNum)]).toEqual([key, expected]);
    }
  };

  await write([], 0, [{ ...PLAN, abis: [{ account: 'alice', abi: ABIS[0] as Buffer }] }, PLAN, PLAN]);
  await expectRange({});
  await write([TO], 102, [PLAN, PLAN, PLAN]);
  await expectRange({ [TO]: 103 });
  await write([TO, AMOUNT], 104, [PLAN, PLAN, PLAN]);
  await expectRange({ [TO]: 103, [AMOUNT]: 105 });
  await write([AMOUNT], 107, [PLAN, PLAN]);
  await expectRange({ [AMOUNT]: 105 });
  await write([AMOUNT, TO], 103, [PLAN, PLAN, PLAN, PLAN, PLAN, PLAN, PLAN]);
  await expectRange({ [AMOUNT]: 105, [TO]: 104 });
  // Two forks begin below the first block of the field. What the first one wrote there must not be found as rows of the second.
  const many = (data: Buffer | undefined): BlockPlan => ({
    ...PLAN,
    transactions: Array.from({ length: 50 }, () => [{ ...TRANSFER, data }]),
  });
  await write([AMOUNT, TO], 101, [many(DATA[0])]);
  await write([AMOUNT, TO], 101, [PLAN, PLAN, many(DATA[1]), PLAN, PLAN, PLAN, PLAN, PLAN, PLAN]);
  expect((await reader.getStatus()).dataFields).toEqual({ [AMOUNT]: 105, [TO]: 104 });
  expect((await reader.getActions(queryOf(TO, 104, 'alice'))).rows).toEqual([]);
  expect((await reader.getActions(queryOf(TO, 104, 'bob'))).rows).toHaveLength(56);
  // An ABI that is set while none of its contract's fields is indexed is in force when one is indexed again.
  await write([], 110, [{ ...PLAN, abis: [{ account: 'alice', abi: ABIS[3] as Buffer }] }, PLAN]);
  await write([TO], 112, [PLAN, PLAN]);
  expect((await reader.getStatus()).dataFields).toEqual({ [TO]: 113 });
  expect((await reader.getActions(queryOf(TO, 113))).rows).toEqual([]);
  await reader.close();
}

/** Forks replace every stored block of a chain that is stored from its middle on, and begin below the first of them. */
export async function expectFieldsBelowFirst({ openWriter, openReader }: ReopenedStore): Promise<void> {
  const made = new SyntheticChain();
  const sessions = new ReaderSessions();
  const SETTING: BlockPlan = { ...PLAN, abis: [{ account: 'alice', abi: ABIS[0] as Buffer }] };
  const trunk = made.blocks(undefined, [PLAN, PLAN, PLAN, SETTING, PLAN, PLAN]);
  const write = async (fields: readonly string[], blocks: readonly BlockRecords[]): Promise<void> => {
    const writer = await openWriter(fields);
    sessions.begin();
    await writer.writeBlocks(sessions.read(blocks));
    await writer.maintain();
    await writer.close();
  };
  const reader = await openReader();
  const expectRows = async (dataFields: Record<string, number>, expected: readonly number[]): Promise<void> => {
    const { firstBlockNum: first = 0, ...status } = await reader.getStatus();
    expect(status.dataFields).toEqual(dataFields);
    const { rows } = await reader.getActions(queryOf(TO, first));
    expect(rows.map(({ blockNum }) => blockNum)).toEqual(expected);
  };

  await write([], trunk.slice(3, 4));
  await write([TO, AMOUNT], trunk.slice(4));
  await expectRows({ [TO]: 104, [AMOUNT]: 104 }, [104, 105]);
  // The first block of the fork sets the ABI after its payment.
  await write([TO], made.blocks(trunk[1], [SETTING, PLAN, PLAN, PLAN]));
  await expectRows({ [TO]: 102 }, [103, 104, 105]);
  await write([TO], made.blocks(trunk[0], [SETTING, PLAN, PLAN]));
  await expectRows({ [TO]: 101 }, [102, 103]);
  await reader.close();
}

function queryOf(key: string, from: number, text = key === TO ? 'bob' : '1'): ActionsQuery {
  const field = parseDataField(key);
  return {
    ...EVERY_ACTION,
    data: field ? [{ fields: [field], text }] : [],
    after: { blockNum: from },
    limit: 100,
  };
}
