import { call } from '../hostile-chain';
import { accountNames, uses, type Attack } from './attack';

/** Attacks whose recording would be too large for a repository, as it does not compress or expands to gigabytes. */

const hugePage: Attack = {
  name: 'huge-page',
  aim: '600 executed transactions of 1 KB with 1 MB of data each: one page of 1,000 rows reads 600 MB of the store',
  accounts: ['hhugepage'],
  byHand: true,
  write(chain) {
    const data = Buffer.alloc(1_048_000);
    for (let block = 0; block < 6; block++) {
      const transactions = uses('hhugepage', data, 100, { expected: 'undecodable' }).map((action) => ({
        compressed: true,
        actions: [action],
      }));
      chain.block({ transactions });
    }
  },
};

/** What is not data: the receipts alone of 1,000 notifications hold three million counts. */
const authSequences: Attack = {
  name: 'auth-sequences',
  aim: '3,000 different authorizers of an action with 1,000 notifications: 80 MB of receipts without any data',
  accounts: ['hauthseq'],
  byHand: true,
  write(chain) {
    const authorization = accountNames('hactor', 3_000).map((actor) => ({ actor, permission: 'active' }));
    const notified = accountNames('hwatch', 1_000);
    chain.block({
      transactions: [{ actions: [call('hauthseq', 'use', Buffer.alloc(1), { authorization, notified })] }],
    });
  },
};

export const BY_HAND = [hugePage, authSequences];
