import { z } from 'zod';
import { GIB, MIB, caFile, httpUrl, keyPrefix, password, passwordFile, path, seconds, user } from './field-types';

const elasticsearch = z.strictObject({
  urls: z
    .array(httpUrl)
    .min(1)
    .default(['http://127.0.0.1:9200'])
    .describe('Nodes of one Elasticsearch cluster, version 8 or 9.'),
  username: user('Elasticsearch'),
  password,
  password_file: passwordFile,
  ca_file: caFile("Elasticsearch's"),
  index_prefix: keyPrefix.default('history').describe('Prefix of all index names; each chain needs its own.'),
  blocks_per_index: z
    .int()
    .min(1)
    .max(1_000_000_000)
    .default(1_000_000)
    .describe('Most block numbers per index. Fixed when the first block is written.'),
  actions_per_index: z
    .int()
    .min(1)
    .max(1_000_000_000)
    .default(200_000_000)
    .describe(
      'Actions with which an index is full: the next one begins about 10,000 blocks later, also before `blocks_per_index` blocks. ' +
        'Has no effect on a store that version 4.1.0 or an earlier one began.',
    ),
  retain_blocks: z
    .int()
    .min(0)
    .max(4294967295)
    .default(0)
    .describe('Number of newest blocks to keep; indices that lie entirely below them are deleted. 0 = all blocks.'),
  replicas: z.int().min(0).max(10).default(1).describe('Replicas of each index.'),
  catch_up_replicas: z
    .int()
    .min(0)
    .max(10)
    .optional()
    .describe(
      'Replicas of new indices while the indexer is far behind the head; default: `replicas`. 0 about halves the work of a bulk ' +
        'load, but a disk that is lost meanwhile takes committed blocks with it.',
    ),
  tiers: z
    .array(
      z
        .string()
        .regex(/^\d{1,10}:[a-z0-9_-]{1,64}$/)
        .meta({ takes: 'a number of blocks and a name, as `5000000:warm`' }),
    )
    .max(10)
    .default([])
    .describe(
      'Where indices belong by age: those whose newest block is at least so many blocks below the committed head are moved to the ' +
        'nodes with this `node.attr.history_tier`.',
    ),
  bulk_bytes: z
    .int()
    .min(64 * 1024)
    .max(64 * MIB)
    .default(8 * MIB)
    .describe('Largest bulk request.'),
  bulk_concurrency: z.int().min(1).max(32).default(2).describe('Number of concurrent bulk requests.'),
  commit_seconds: seconds
    .default(5)
    .describe('Interval of commits, which make written blocks visible, while the indexer is far behind the head.'),
  request_timeout_seconds: seconds.default(60).describe('Timeout of a request.'),
});

const lmdb = z.strictObject({
  path: path.default('./data').describe('Directory of the data, on a local disk.'),
  map_size_bytes: z
    .int()
    .min(0)
    .max(64 * 1024 * GIB)
    .default(0)
    .describe('Size of the data at which indexing pauses (`STORE_FULL`); 0 = at 512 MiB of free disk only.'),
  retain_blocks: z
    .int()
    .min(0)
    .max(4294967295)
    .default(0)
    .describe(
      'Number of newest blocks to keep; older ones are removed, with their transactions and actions. Reversible blocks, ' +
        'permissions and ABIs stay. 0 = all blocks.',
    ),
});

export const store = z.strictObject({
  kind: z.enum(['lmdb', 'elasticsearch']).default('lmdb').describe('Store of the history.'),
  lmdb: lmdb.prefault({}),
  elasticsearch: elasticsearch.prefault({}),
});
