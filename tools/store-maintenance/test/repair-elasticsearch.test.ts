import { randomUUID } from 'node:crypto';
import { Client } from '@elastic/elasticsearch';
import { describeWithService } from '@antelope-history/servers';
import { openElasticsearchStoreWriter } from '@antelope-history/store-elasticsearch/writer';
import { DIGEST_CHECK_BYTES } from '@antelope-history/records';
import { testSize } from '@antelope-history/test-support/random';
import type { Recording } from '@antelope-history/test-support/recordings';
import { elasticsearchOptions } from './elasticsearch-options';
import { recordsOf } from './recorded-records';
import { type DamagedStore, describeRepair, type Targets } from './repair-cases';

const KINDS = ['actions', 'blocks', 'bodies', 'abis', 'permissions'] as const;
type Kind = (typeof KINDS)[number];
const CATCH_UP_MS = 200;
/** Whole indices are removed. */
const RETAINED_BLOCKS = 200;
/** More documents than the recording has of a kind. */
const ALL = 10_000;
/** Superseded permissions are kept and cleaned blocks come at once, so that what is stored is the same at any time. */
const DELAYS = {
  cleaning: { settleBlocks: 0, cleanBlocks: 1, forkPauseMs: 0, startPauseMs: 0, sweepEveryMs: Infinity },
  permissionDelayMs: Infinity,
  idleEveryMs: 0,
  directoryRetryMs: 0,
  tidyEveryMs: 0,
  dropAfterMs: 0,
  directory: { claimMs: 0, maxTallySize: 1_000_000 },
  postponeMs: 0,
};

interface Stored {
  index: string;
  id: string;
  source: Record<string, unknown>;
}

async function openDamaged(url: string, recording: Recording): Promise<DamagedStore> {
  const indexPrefix = `test-${randomUUID()}`;
  const options = elasticsearchOptions(url, indexPrefix);
  const writer = await openElasticsearchStoreWriter(options, DELAYS);
  const allRecords = recordsOf(recording);
  const records = allRecords.slice(0, -1);
  for (let start = 0; start < records.length; start += 50) await writer.writeBlocks(records.slice(start, start + 50));
  const head = records.at(-1)?.position.num;
  while ((await writer.maintain()).committed?.num !== head);
  await writer.close();
  const documents = new RawDocuments(url, indexPrefix);
  return {
    environment: {
      HISTORY_STORE__KIND: 'elasticsearch',
      HISTORY_STORE__ELASTICSEARCH__URLS: url,
      HISTORY_STORE__ELASTICSEARCH__INDEX_PREFIX: indexPrefix,
      HISTORY_STORE__ELASTICSEARCH__REPLICAS: '0',
    },
    dump: () => documents.dump(),
    damages: damagesOf(documents),
    serve: async () => {
      const serving = await openElasticsearchStoreWriter(options, DELAYS);
      let isServing = true;
      const work = async (): Promise<void> => {
        while (isServing) {
          // Damage that the directory's builder meets is logged by the indexer, which calls again.
          await serving.maintain().catch(() => undefined);
          await new Promise((resolve) => setTimeout(resolve, CATCH_UP_MS));
        }
      };
      const working = work();
      return async () => {
        isServing = false;
        await working;
        await serving.close();
      };
    },
    removeOldBlocks: async () => {
      const removing = await openElasticsearchStoreWriter({ ...options, retainBlocks: RETAINED_BLOCKS }, DELAYS);
      // A commit removes blocks.
      await removing.writeBlocks(allRecords.slice(-1));
      const { firstBlockNum = 0 } = await removing.maintain();
      while (await documents.hasBlocksBelow(firstBlockNum)) await removing.maintain();
      await removing.close();
      return firstBlockNum;
    },
    close: () => documents.remove(),
  };
}

/** The documents of an index prefix without the store's code. */
class RawDocuments {
  private readonly client: Client;

  constructor(
    url: string,
    private readonly prefix: string,
  ) {
    this.client = new Client({ node: url });
  }

  async dump(): Promise<Map<string, string>> {
    const found = new Map<string, string>();
    for (const kind of KINDS) {
      for (const { index, id, source } of await this.of(kind)) found.set(`${index} ${id}`, JSON.stringify(source));
    }
    return found;
  }

  /** The documents of a kind, or those with a block number. */
  async of(kind: Kind, blockNum?: number): Promise<Stored[]> {
    const index = `${this.prefix}-${kind}`;
    await this.client.indices.refresh({ index });
    const query = blockNum === undefined ? { match_all: {} } : { term: { block_num: blockNum } };
    const docvalue_fields = kind === 'actions' ? ['origin', 'record', 'large_record', 'sequence'] : [];
    const { hits } = await this.client.search<Record<string, unknown>>({ index, size: ALL, query, docvalue_fields });
    return hits.hits.map(({ _index, _id, _source, fields }) => ({
      index: _index,
      id: _id ?? '',
      source: _source ?? actionOf(fields as ActionFields),
    }));
  }

  async hasBlocksBelow(blockNum: number): Promise<boolean> {
    const { count } = await this.client.count({
      index: `${this.prefix}-blocks`,
      query: { range: { block_num: { lt: blockNum } } },
    });
    return count > 0;
  }

  /** One document of a block, the last by its id. */
  async one(kind: Kind, blockNum: number): Promise<Stored> {
    const found = (await this.of(kind, blockNum)).sort((left, right) => (left.id < right.id ? 1 : -1))[0];
    if (!found) throw new Error(`block ${blockNum} has no ${kind}`);
    return found;
  }

  async change(kind: Kind, blockNum: number, change: (source: Stored['source']) => Stored['source']): Promise<void> {
    const { index, id, source } = await this.one(kind, blockNum);
    await this.put({ index, id, source: { ...source, ...change(source) } });
  }

  async put({ index, id, source }: Stored): Promise<void> {
    await this.client.index({ index, id, document: source, refresh: true });
  }

  async delete(kind: Kind, blockNum: number): Promise<void> {
    const { index, id } = await this.one(kind, blockNum);
    await this.client.delete({ index, id, refresh: true });
  }

  async add(kind: Kind, blockNum: number, id: string, change: Stored['source']): Promise<void> {
    const { index, source } = await this.one(kind, blockNum);
    await this.put({ index, id, source: { ...source, ...change } });
  }

  async remove(): Promise<void> {
    const indices = Object.keys(await this.client.indices.get({ index: `${this.prefix}-*`, expand_wildcards: 'all' }));
    await this.client.indices.delete({ index: indices });
    for (const kind of [...KINDS, 'directory', 'journal', 'progress']) {
      await this.client.indices.deleteIndexTemplate({ name: `${this.prefix}-${kind}` }, { ignore: [404] });
    }
    await this.client.close();
  }
}

interface ActionFields {
  origin: [string];
  record?: [string];
  large_record?: [string];
  sequence: [number];
}

/** The document of an action as far as the server returns it. */
function actionOf({ origin, record, large_record: large, sequence }: ActionFields): Stored['source'] {
  const [packed] = origin;
  const bytes = Buffer.from(packed, 'base64');
  const block = { block_num: bytes.readUInt32BE(0), block: bytes.toString('hex', 4, 36) };
  return {
    ...block,
    origin: packed,
    sequence: sequence[0],
    ...(record ? { record: record[0] } : { large_record: large?.[0] }),
  };
}

/** Base64 text with a byte inverted; a negative offset counts from the end. */
function flipped(base64: unknown, offset: number): string {
  const bytes = Buffer.from(base64 as string, 'base64');
  const at = offset < 0 ? bytes.length + offset : offset;
  bytes[at] = (bytes[at] ?? 0) ^ 0xff;
  return bytes.toString('base64');
}

function damagesOf(documents: RawDocuments): DamagedStore['damages'] {
  /** The permissions of the block with keys that no later block has changed: an account is found by any of its permissions. */
  const permissionsOf = async ({ permissionBlock }: Targets): Promise<Stored[]> => {
    const all = await documents.of('permissions');
    const isSame = (left: Stored, right: Stored): boolean =>
      left.source['owner'] === right.source['owner'] && left.source['name'] === right.source['name'];
    return all.filter(
      (each) =>
        each.source['block_num'] === permissionBlock &&
        (each.source['keys'] as string[]).length > 0 &&
        !all.some((other) => isSame(each, other) && Number(other.source['block_num']) > permissionBlock),
    );
  };
  return {
    'a lost block': ({ blockNum }) => documents.delete('bodies', blockNum),
    'the bytes of a block': ({ blockNum }) =>
      documents.change('bodies', blockNum, (body) => ({ packed_block: flipped(body['packed_block'], 20) })),
    'the bytes of an action': ({ blockNum }) =>
      documents.change('actions', blockNum, (action) => {
        const field = action['record'] === undefined ? 'large_record' : 'record';
        return { [field]: flipped(action[field], -3) };
      }),
    'a lost action': ({ blockNum }) => documents.delete('actions', blockNum),
    'an added action': ({ blockNum }) => documents.add('actions', blockNum, 'added', {}),
    'the record of a transaction': ({ blockNum, transactionId }) =>
      documents.change('bodies', blockNum, (body) => {
        const execution = Buffer.from(body['execution'] as string, 'base64');
        const kept = transactionId.subarray(0, DIGEST_CHECK_BYTES);
        return { execution: flipped(body['execution'], execution.lastIndexOf(kept)) };
      }),
    'the bytes of an ABI': ({ abiBlock }) =>
      documents.change('abis', abiBlock, (abi) => ({ abi: flipped(abi['abi'], 20) })),
    'a lost ABI': ({ abiBlock }) => documents.delete('abis', abiBlock),
    'the keys of permissions': async (targets) => {
      for (const permission of await permissionsOf(targets)) {
        await documents.put({ ...permission, source: { ...permission.source, keys: ['0'.repeat(64)] } });
      }
    },
  };
}

/** One of each kind of document; the verification of the whole store before and after each takes the time. */
const USUAL = ['a lost block', 'the bytes of an action', 'a lost ABI', 'the keys of permissions'];
const OTHERS = [
  'the bytes of a block',
  'a lost action',
  'an added action',
  'the record of a transaction',
  'the bytes of an ABI',
];

describeWithService(['elasticsearch'], (url) => {
  const kinds = testSize({ usual: USUAL, long: [...USUAL, ...OTHERS] });
  describeRepair('the shared store', (recording) => openDamaged(url, recording), kinds);
});
