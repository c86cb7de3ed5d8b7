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
import example from './get-actions.example.json';

const request = z
  .object({
    account_name: optional(
      text('an account name of 1 to 12 characters').meta({ minLength: 1, maxLength: 12 }),
    ).describe('Only actions that this account received or authorised; all actions of the chain if absent.'),
    pos: optional(integer(-1, Number.MAX_SAFE_INTEGER))
      .describe('Number of rows to skip in the chosen order; -1 selects the newest rows.')
      .meta({ default: 0 }),
    offset: optional(integer(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER))
      .describe(
        'Rows per page, at most `api.limits.get_actions`; 0 means 20, and a negative number selects the rows up to `pos`.',
      )
      .meta({ default: 20 }),
    filter: optional(actionsFilter).describe(
      'Contract and action as `code:name`, `code:*` or `*:name`, or several of these separated by commas; a row has to match one of them.',
    ),
    sort: optional(sort)
      .transform((value) => value ?? 'desc')
      .describe('`desc` or -1: newest first. `asc` or 1: oldest first, which needs `after` or `before`.')
      .meta({ default: 'desc' }),
    ...boundsAndParent,
  })
  .meta({ id: 'GetActionsRequest' });

const response = z
  .object({
    actions: z.array(
      z.object({
        global_action_seq: integer64.describe('`global_sequence` of the receipt shown.'),
        account_action_seq: integer64.describe(
          '`recv_sequence` of the receipt shown: the number of actions that the receiver has received.',
        ),
        block_num: blockNum,
        block_time: blockTime,
        action_trace: actionTrace,
      }),
    ),
    last_irreversible_block: blockNum.describe('Not above `head_block_num`, also while the service catches up.'),
    head_block_num: blockNum.describe('The newest committed block: the upper limit of the response.'),
    more: z.boolean().describe('Whether more rows follow.'),
  })
  .meta({ id: 'GetActionsResponse' });

/** Where the gateway serves `get_actions` by the rules of this route whatever `api.positions` is. */
export const ACTIONS_BY_ROWS_PATH = '/v1/history/rows/get_actions';

export const getActions = defineRoute({
  group: 'history',
  endpoint: 'get_actions',
  method: 'POST',
  path: '/v1/history/get_actions',
  request,
  refusedFields: guessedFields,
  filtersData: true,
  response,
  errors: ['INVALID_REQUEST', 'INVALID_NAME', 'ASC_UNBOUNDED', 'ASC_WINDOW_EXCEEDED', 'QUERY_TOO_BROAD'],
  cacheable: false,
  summary: 'Actions of an account, or of the whole chain',
  description:
    'One row per action that the account received or authorised. The notifications of one action share a row, which shows ' +
    'the receipt of the account, or that of the contract if the account has none. Only executed actions are listed, ' +
    'newest first unless `sort` says otherwise. Ascending order needs `after` or `before`, and a date in `after` must ' +
    'lie within the last 90 days (both rules can be configured). The cost of a page does not grow with `pos`. A field with a dot in ' +
    'its name selects actions by their data, for example `"transfer.to": "bob"`: the value has to be equal to the one that the ' +
    'response shows. The operator chooses the fields (`index.data_fields`), and `/health` lists them with the first block whose ' +
    'values are indexed; earlier actions need another filter.',
  example,
});
export type GetActionsRequest = z.output<typeof request>;
export type GetActionsResponse = z.output<typeof response>;
