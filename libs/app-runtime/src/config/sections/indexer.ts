import { z } from 'zod';
import { GIB, MIB, seconds } from './field-types';

export const indexer = z.strictObject({
  verify_blocks: z
    .enum(['off', 'new', 'all'])
    .default('new')
    .describe(
      'Which blocks are compared with the roots in their headers before they are indexed; a node whose block differs is ' +
        'refused. `new`: blocks that are not irreversible yet. `all`: also while catching up, which takes longer.',
    ),
  deserializer_threads: z
    .int()
    .min(0)
    .max(16)
    .optional()
    .describe(
      'Threads that turn the blocks of the node into records, in the process with all apps; each takes 40 to 150 MiB. 0: the ' +
        'thread that reads and writes blocks does. Default: the number of processors less 3, at most 2, which is as many as ' +
        'the embedded store can keep up with. Deserializers that are processes of their own run in any number instead.',
    ),
  batch_bytes: z
    .int()
    .min(1024)
    .max(GIB)
    .default(16 * MIB)
    .describe('Largest batch of blocks that is written at once.'),
  batch_seconds: seconds.default(0.1).describe('Longest time that a block waits for its batch to fill.'),
  stall_seconds: seconds
    .default(60)
    .describe(
      'When blocks arrive but the committed head does not advance for this time, the chain is read again from the ' +
        'committed head.',
    ),
});
