import { z } from 'zod';
import { bound, integer, optional } from '@antelope-history/schemas';

/** Request fields that both forms of `get_actions` have. */

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
