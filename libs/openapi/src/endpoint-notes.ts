import type { ClientErrorCode, ROUTES } from '@antelope-history/schemas';
import getActions from './examples/get-actions.json';
import getChainBlock from './examples/get-chain-block.json';
import getControlledAccounts from './examples/get-controlled-accounts.json';
import getKeyAccounts from './examples/get-key-accounts.json';
import getTraceBlock from './examples/get-trace-block.json';
import getTransaction from './examples/get-transaction.json';

/** What the description says of an endpoint that its schemas do not. */
export interface EndpointNotes {
  summary: string;
  description: string;
  /** From the sample chain `leap-edge` when all of it is indexed; a test of apps/e2e asks for it again. */
  example: { request: unknown; answer: unknown };
  /** Its own errors; those that every endpoint has are not repeated. */
  errors: ClientErrorCode[];
  /** Whether answers that can no longer change say so, with `etag` and `cache-control`. */
  cacheable: boolean;
}

export const ENDPOINT_NOTES: Record<keyof typeof ROUTES, EndpointNotes> = {
  getActions: {
    summary: 'Actions of an account, or of the whole chain',
    description:
      'A row per action that the account received or authorised: notifications of one action are one row, with the ' +
      'receipt of the account if it has one, else that of the contract. Only actions that took effect. Newest first ' +
      'unless `sort` says otherwise; ascending order needs `after` or `before`, and a date in `after` may be 90 days ' +
      'old (both can be configured). Any depth of `pos` costs the same.',
    example: getActions,
    errors: ['INVALID_REQUEST', 'INVALID_NAME', 'ASC_UNBOUNDED', 'ASC_WINDOW_EXCEEDED'],
    cacheable: false,
  },
  getControlledAccounts: {
    summary: 'Accounts that an account controls',
    description: 'The accounts that have, now, a permission that names the account, `eosio.code` included.',
    example: getControlledAccounts,
    errors: ['INVALID_REQUEST', 'INVALID_NAME'],
    cacheable: false,
  },
  getKeyAccounts: {
    summary: 'Accounts of a public key',
    description: 'The accounts that have, now, a permission with the key. EOS… and PUB_K1_… are the same key.',
    example: getKeyAccounts,
    errors: ['INVALID_REQUEST', 'INVALID_PUBLIC_KEY'],
    cacheable: false,
  },
  getTransaction: {
    summary: 'A transaction with all its traces',
    description:
      'By its id or a prefix of it. Complete: notifications are traces of their own. `trx` is null for what no block ' +
      'lists (`onblock`); a deferred transaction has its id in place of its content.',
    example: getTransaction,
    errors: ['INVALID_REQUEST', 'INVALID_TRANSACTION_ID', 'AMBIGUOUS_TRANSACTION_ID', 'TRANSACTION_NOT_FOUND'],
    cacheable: true,
  },
  getChainBlock: {
    summary: 'A block, as a chain node answers',
    description:
      "The node's own JSON, by number or id, for every block that is indexed. Action data is decoded with the ABI in " +
      'force when the action ran.',
    example: getChainBlock,
    errors: ['INVALID_REQUEST', 'INVALID_BLOCK_ID', 'UNKNOWN_BLOCK'],
    cacheable: true,
  },
  getTraceBlock: {
    summary: 'The traces of a block',
    description:
      "The trace plugin's JSON, by number (-1: the newest block) or id, with `params` for every contract that has an " +
      'ABI. Context-free actions are left out, as that plugin does.',
    example: getTraceBlock,
    errors: ['INVALID_REQUEST', 'INVALID_BLOCK_ID', 'BLOCK_TRACE_MISSING'],
    cacheable: true,
  },
};
