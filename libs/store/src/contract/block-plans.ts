import type { Authority } from '@antelope-history/records';
import fc from 'fast-check';
import { ABIS, DATA } from './data-plans';
import type { ActionPlan } from './packed-action';
import type { BlockPlan } from './synthetic-chain';

/** Few distinct values, so that lists are shared. The empty action name is valid, and names can be prefixes of others. */
const ACCOUNTS = ['alice', 'bob', 'eosio', 'a', 'a.b', 'zzzzzzzzzzzzj'];
const ACTION_NAMES = ['transfer', '', 'a', 'issue'];
const PERMISSIONS = ['owner', 'active', 'x'];
export const KEYS = [1, 2, 3].map((byte) => Buffer.alloc(34, byte));

const account = fc.constantFrom(...ACCOUNTS);

/** A chain notifies no account twice of one action, and not the contract itself. */
const action: fc.Arbitrary<ActionPlan> = fc
  .record({
    account,
    name: fc.constantFrom(...ACTION_NAMES),
    actor: account,
    notified: fc.uniqueArray(account, { maxLength: 3 }),
    creatorDistance: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 5 })),
    dataBytes: fc.oneof(fc.nat(40), fc.nat(400)),
    data: fc.option(fc.constantFrom(...DATA), { nil: undefined, freq: 3 }),
  })
  .map((plan) => ({ ...plan, notified: plan.notified.filter((each) => each !== plan.account) }));

const authority: fc.Arbitrary<Authority> = fc.record({
  keys: fc.array(fc.constantFrom(...KEYS), { maxLength: 2 }),
  actors: fc.array(account, { maxLength: 2 }),
});

/** Small blocks; a few have a transaction that spans several pages of actions. */
export const blockPlan: fc.Arbitrary<BlockPlan> = fc.record({
  transactions: fc.array(
    fc.oneof(
      { weight: 30, arbitrary: fc.array(action, { minLength: 1, maxLength: 5 }) },
      { weight: 1, arbitrary: fc.array(action, { minLength: 300, maxLength: 600 }) },
    ),
    { maxLength: 4 },
  ),
  abis: fc.array(fc.record({ account, abi: fc.constantFrom(...ABIS) }), { maxLength: 2 }),
  permissions: fc.uniqueArray(
    fc.record({
      owner: account,
      name: fc.constantFrom(...PERMISSIONS),
      authority: fc.option(authority, { nil: undefined }),
    }),
    { maxLength: 3, selector: ({ owner, name }) => `${owner}@${name}` },
  ),
});
