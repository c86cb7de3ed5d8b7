import { z } from 'zod';
import {
  actionsFilter,
  actionTrace,
  blockNum,
  blockTime,
  defineRoute,
  integer,
  integer64,
  optional,
  text,
} from '@antelope-history/schemas';
import { boundsAndParent, guessedFields, sort } from './actions-fields';
import example from './get-actions-by-position.example.json';

const int32 = integer(-(2 ** 31), 2 ** 31 - 1);

const request = z
  .object({
    account_name: optional(text('an account name of at most 12 characters').meta({ maxLength: 12 })).describe(
      'The account whose traces are numbered; if it is absent or empty, so is the list.',
    ),
    pos: optional(int32)
      .describe('Position of a trace; -1 stands for the position after the last one.')
      .meta({ default: -1 }),
    offset: optional(int32)
      .describe('Positive: the traces from `pos` to `pos + offset`. Otherwise: those from `pos + offset` to `pos`.')
      .meta({ default: -20 }),
    filter: optional(actionsFilter).describe(
      'Only the traces of the window whose contract and action match, as in get_actions. The positions count the others, too.',
    ),
    sort: optional(sort)
      .transform((value) => value ?? 'asc')
      .describe('`asc` or 1: ascending by position. `desc` or -1: the same window, newest first.')
      .meta({ default: 'asc' }),
    ...boundsAndParent,
  })
  .meta({ id: 'GetActionsByPositionRequest' });

const refusedFields = {
  ...guessedFields,
  from: 'write after for a lower bound; actions are not selected by their data',
  to: 'write before for an upper bound; actions are not selected by their data',
  track: 'remove it: the positions show where the list ends',
};

const response = z
  .object({
    actions: z.array(
      z.object({
        global_action_seq: integer64.describe('`global_sequence` of the trace.'),
        account_action_seq: integer64.describe('Position of the trace among those of the account, from 0 on.'),
        block_num: blockNum,
        block_time: blockTime,
        action_trace: actionTrace,
      }),
    ),
    last_irreversible_block: blockNum,
    head_block_num: blockNum.describe(
      'The newest committed block. The plugin had no such field; Wharfkit requires it.',
    ),
    time_limit_exceeded_error: z
      .literal(true)
      .optional()
      .describe(
        'Only when the list ends early, at `api.limits.get_actions` rows or at the limit of a response: ask on from there.',
      ),
  })
  .meta({ id: 'GetActionsByPositionResponse' });

export const getActionsByPosition = defineRoute({
  group: 'history',
  endpoint: 'get_actions',
  method: 'POST',
  path: '/v1/history/nodeos/get_actions',
  request,
  refusedFields,
  response,
  errors: ['INVALID_REQUEST', 'INVALID_NAME', 'POSITIONS_NOT_STORED', 'QUERY_TOO_BROAD'],
  cacheable: false,
  summary: 'Actions of an account by the rules of the original history plugin',
  description:
    'One row per trace that the account received or authorised: a transfer has three for the account that pays. Rows ascend by ' +
    'position, and both ends of the window are included, so that `offset` 20 selects 21 rows. A position names the same trace ' +
    'for ever, unless a fork replaces the block. Positions count from the first block of the index. `filter`, `after`, `before` ' +
    'and `parent`, which the plugin did not have, leave rows of the window out; with one of them, a window has at most ' +
    '`api.limits.get_actions` positions. `sort` needs no bounds, because the window is one. `api.positions`, ' +
    '`api.positions_header` and `api.nodeos_path_prefix` serve this endpoint as `/v1/history/get_actions`.',
  example,
});
export type GetActionsByPositionRequest = z.output<typeof request>;
export type GetActionsByPositionResponse = z.output<typeof response>;
