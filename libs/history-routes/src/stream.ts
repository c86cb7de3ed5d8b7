import { z } from 'zod';
import { actionsFilter, integer, MAX_BLOCK_NUM, optional, text } from '@antelope-history/schemas';

const FLAGS = { true: true, '1': true, false: false, '0': false } as const;

/** The parameters in the query string. */
export const streamRequest = z.object({
  account_name: optional(text('an account name of 1 to 12 characters').meta({ minLength: 1, maxLength: 12 })).describe(
    'Only actions that this account received or authorised; all actions of the chain if absent.',
  ),
  filter: optional(actionsFilter).describe(
    'Contract and action as `code:name`, `code:*` or `*:name`, or several of these separated by commas.',
  ),
  after: optional(integer(1, MAX_BLOCK_NUM, `a block number from 1 to ${MAX_BLOCK_NUM}`)).describe(
    'The block to begin at, inclusive; if absent, the stream begins after the committed head. No rows of blocks below are ' +
      'sent, also when the stream continues after an event.',
  ),
  irreversible_only: optional(
    z.enum(['true', 'false', '1', '0'], { error: 'give true or false' }).transform((flag) => FLAGS[flag]),
  ).describe('Whether actions are sent only when their block is irreversible: such a stream has no `fork`.'),
  cursor: optional(text('the id of an event')).describe(
    'The id of the last event that was processed, as in the header `Last-Event-ID`, which takes precedence.',
  ),
});
export type StreamRequest = z.output<typeof streamRequest>;

const CURSOR = '000001c9c82df6f0c3ac77cbd8e2c60df66a2e45ff37eec1af65a5ffdf1e1f5b';
const ROW = '{"global_action_seq":3401,"account_action_seq":77,"block_num":457, … }';

/** The stream of actions as they are committed: server-sent events, so it is no `Route`, which has one response. */
export const STREAM = {
  endpoint: 'stream',
  path: '/v1/history/stream',
  method: 'GET',
  request: streamRequest,
  errors: ['INVALID_REQUEST', 'INVALID_NAME', 'BLOCKS_REMOVED'],
  summary: 'Actions as they are committed',
  description:
    'Server-sent events. `action`: a row as in get_actions. `fork`: the chain continues after the named block, so that ' +
    'the rows of higher blocks are void. `irreversible` and `head`: the chain reached the named block; all rows up to `head` ' +
    'were sent. `close`: the service ends the stream, with the reason. A client that opens the stream again with ' +
    '`Last-Event-ID` receives what follows that event, after forks, too. The path also accepts a WebSocket, whose messages are ' +
    '`{"event":…,"id":…,"data":…}`.',
  example: `event: action\nid: ${CURSOR}.3401.455\ndata: ${ROW}\n\nevent: head\nid: ${CURSOR}.all.455\ndata: {"block_num":457,"block_id":"${CURSOR}"}\n\n`,
} as const;
