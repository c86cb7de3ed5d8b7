import { Client } from '@elastic/elasticsearch';
import { describeWithService } from '@antelope-history/servers';
import { Searcher } from '../src/client/search';
import { emptyProgress } from '../src/indices/progress';
import { type CommittedAbi, CommittedAbis } from '../src/write/committed-abis';
import { TemporaryStore } from './temporary-store';

jest.setTimeout(60_000);

/** More than the server returns of one search. */
const VERSIONS = 10_050;
/** Above this block, each version has one of an orphan beside it. */
const CLEAN = VERSIONS - 500;
const OPERATIONS = 5_000;

describeWithService(['elasticsearch'], (url = '') => {
  it('finds all versions of a contract that sets its ABI again and again, and none of orphans', async () => {
    const store = await TemporaryStore.open(url);
    const client = new Client({ node: url });
    const branch = Array.from({ length: VERSIONS - CLEAN }, (_, index) => ({
      num: CLEAN + index,
      id: `branch ${CLEAN + index}`,
    }));
    const documents = Array.from({ length: VERSIONS }, (_, num) =>
      ['branch', ...(num > CLEAN ? ['orphan', 'another'] : [])].map((of) => ({
        block: `${of} ${num}`,
        block_num: num,
        account: 'alice',
        sequence: num * 10,
        hash: `${of} ${num}`,
      })),
    ).flat();
    for (let at = 0; at < documents.length; at += OPERATIONS) {
      const some = documents.slice(at, at + OPERATIONS);
      await client.bulk({ index: store.names.abis, operations: some.flatMap((each) => [{ index: {} }, each]) });
    }
    await client.indices.refresh({ index: store.names.abis });
    const committed = { num: VERSIONS - 1, id: `branch ${VERSIONS - 1}` };
    const progress = { ...emptyProgress(10), committed, clean_up_to: CLEAN, branch };
    const found: CommittedAbi[] = [];
    const abis = new CommittedAbis(store.names, new Searcher(client, 30));
    for await (const version of abis.newestFirst('alice', Infinity, progress)) found.push(version);
    await client.close();
    await store.dispose();
    const expected = Array.from({ length: VERSIONS }, (_, index) => `branch ${VERSIONS - 1 - index}`);
    expect(found.map(({ hash }) => hash)).toEqual(expected);
  });
});
