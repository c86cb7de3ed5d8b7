import { z } from 'zod';
import { bound, integer, optional } from '@antelope-history/schemas';

/** Request fields that both forms of `get_actions` have, and those that neither has. */

export const sort = z
  .union([z.enum(['desc', 'asc', '1', '-1']), z.literal([1, -1])], {
    error: 'give desc, asc, 1 (as asc) or -1 (as desc)',
  })
  .transform((value) => (value === 'asc' || Number(value) === 1 ? 'asc' : 'desc'));

export const boundsAndParent = {
  after: optional(bound('after')).describe(
    'Lower bound, inclusive: an ISO 8601 date-time (UTC unless it has a zone) or a block number.',
  ),
  before: optional(bound('before')).describe(
    'Upper bound, inclusive: an ISO 8601 date-time (UTC unless it has a zone) or a block number.',
  ),
  parent: optional(integer(0, Number.MAX_SAFE_INTEGER)).describe(
    'Only actions that the trace with this global sequence created, where a notification is a trace of its own; ' +
      '0 selects those that no action created.',
  ),
};

const UNSEARCHED = 'remove it: actions are not selected by this field';
/** Names that clients guess, and the fields of Hyperion's `/v2/history/get_actions`, unless they leave the rows as they are. */
export const guessedFields = {
  account: 'write account_name',
  position: 'write pos',
  skip: 'write pos',
  limit: 'write offset',
  size: 'write offset',
  count: 'write offset',
  page: 'write pos',
  order: 'write sort',
  reverse: 'write sort',
  from: 'write after for a lower bound; a filter on action data has the action before it, e.g. transfer.from',
  to: 'write before for an upper bound; a filter on action data has the action before it, e.g. transfer.to',
  start: 'write after',
  end: 'write before',
  since: 'write after',
  until: 'write before',
  block_num: 'write this block number in both after and before',
  code: 'write filter as code:*',
  contract: 'write filter as code:*',
  action: 'write filter as *:name',
  name: 'write filter as *:name, or account_name',
  'act.account': 'write filter as code:*',
  'act.name': 'write filter as *:name',
  'act.authorization.actor': 'write account_name, which also finds what the account received',
  actor: 'write account_name, which also finds what the account received',
  receiver: 'write account_name, which also finds what the account authorized',
  notified: 'write account_name, which also finds what the account received',
  '@timestamp': 'write after for a lower bound and before for an upper one',
  block_id: 'write the number of this block in both after and before',
  producer: UNSEARCHED,
  creator_action_ordinal: `${UNSEARCHED}; parent 0 selects those that no action created`,
  action_ordinal: UNSEARCHED,
  cpu_usage_us: UNSEARCHED,
  net_usage_words: UNSEARCHED,
  'receipts.receiver': 'write account_name, which also finds what the account received',
  global_sequence: 'write parent for the actions that one created; no field selects a single action',
  trx_id: 'call get_transaction',
  track: 'remove it: `more` in the response says whether rows follow',
  simple: 'remove it: there is one form of response',
  noBinary: 'remove it: there is one form of response',
  hot_only: 'remove it: all indexed blocks are searched',
  checkLib: 'remove it: every response has last_irreversible_block',
};
