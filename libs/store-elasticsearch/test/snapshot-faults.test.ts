import { randomUUID } from 'node:crypto';
import { Client } from '@elastic/elasticsearch';
import type { BlockRecords } from '@antelope-history/records';
import { describeWithService } from '@antelope-history/servers';
import { type BlockPlan, ReaderSessions, SyntheticChain } from '@antelope-history/store/contract';
import { createSnapshot, listSnapshots, restoreSnapshot } from '../src/snapshot';
import { openElasticsearchStoreWriter } from '../src/writer';
import { FaultyServer, type SeenRequest } from './faulty-server';
import { TemporaryStore } from './temporary-store';

jest.setTimeout(180_000);

const EMPTY: BlockPlan = { transactions: [], abis: [], permissions: [] };
/** A snapshot of the store takes seconds. */
const SLOW = '5kb';
/** Longer than a slow machine takes to begin, and shorter than a shard takes at two kilobytes a second. */
const SHORT_STALL_MS = 5_000;
const CHAIN_ID = 'c5'.repeat(32);
const NOWHERE = { 'index.routing.allocation.require._name': 'nowhere' };

describeWithService(['elasticsearch'], (url = '') => {
  const client = new Client({ node: url });
  const repository = `test-${randomUUID()}`;
  let store: TemporaryStore;
  let server: FaultyServer;
  /** As a program whose requests take the way through `server`. */
  let options: ReturnType<TemporaryStore['optionsWith']>;
  let indices: string;
  let name: string;
  let chain: SyntheticChain;
  let blocks: BlockRecords[];
  let sessions: ReaderSessions;

  beforeEach(async () => {
    await putRepository({});
    server = await FaultyServer.start(url);
    store = await TemporaryStore.open(url);
    chain = new SyntheticChain();
    blocks = [];
    sessions = new ReaderSessions();
    sessions.begin();
    await write(3);
    options = store.optionsWith({ urls: [server.url] });
    indices = store.names.pattern;
    name = `made-${randomUUID()}`;
  });
  afterEach(async () => {
    await server.stop();
    await store.dispose();
  });
  afterAll(async () => {
    await client.snapshot.delete({ repository, snapshot: '*' });
    await client.snapshot.deleteRepository({ name: repository });
    await client.close();
  });

  async function putRepository(rates: Record<string, string>): Promise<void> {
    const settings = { location: repository, ...rates };
    await client.snapshot.createRepository({ name: repository, repository: { type: 'fs', settings } });
  }

  async function write(count: number): Promise<void> {
    const writer = await openElasticsearchStoreWriter(store.optionsWith({}));
    await writer.setChainId(CHAIN_ID);
    blocks = chain.blocks(blocks.at(-1), Array<BlockPlan>(count).fill(EMPTY));
    await writer.writeBlocks(sessions.read(blocks));
    await writer.close();
  }

  /** The server takes no pattern where it closes or deletes indices. */
  async function existing(): Promise<string[]> {
    return Object.keys(await client.indices.get({ index: indices }));
  }

  async function deleteIndices(): Promise<void> {
    await client.indices.delete({ index: await existing() });
  }

  /** The response to the first request that matches is lost. */
  function loseResponse(matches: (seen: SeenRequest) => boolean): void {
    let lost = 0;
    server.fault = (seen) => (matches(seen) && lost++ === 0 ? 'cut after' : 'none');
  }

  /** Another program begins a snapshot with this metadata; one with `hole` lacks a shard, so that it fails in the end. */
  async function begin(metadata: Record<string, string>, { hole = false } = {}): Promise<void> {
    const lost = `${options.indexPrefix}-blocks-lost`;
    if (hole) await client.indices.create({ index: lost, settings: NOWHERE, wait_for_active_shards: 0 });
    const of = { repository, snapshot: name, indices, partial: true, include_global_state: false };
    await client.snapshot.create({ ...of, metadata, wait_for_completion: false });
  }

  async function stateOf(snapshot: string): Promise<string | undefined> {
    const { snapshots } = await client.snapshot.get({ repository, snapshot, ignore_unavailable: true });
    return snapshots?.[0]?.state;
  }

  const isCreate = ({ method, path }: SeenRequest): boolean => method === 'PUT' && path.includes(`/${name}`);
  const isRestore = ({ path }: SeenRequest): boolean => path.includes('/_restore');

  it('is made also when the response to its request was lost', async () => {
    loseResponse(isCreate);
    expect(await createSnapshot(options, { repository, name })).toMatchObject({ isComplete: true });
  });

  it('is restored also when the response to its request was lost', async () => {
    const made = await createSnapshot(options, { repository, name });
    await deleteIndices();
    loseResponse(isRestore);
    expect(await restoreSnapshot(options, { repository, name })).toEqual(made);
  });

  it('is restored while the cluster says for a time that it has no master', async () => {
    const made = await createSnapshot(options, { repository, name });
    await deleteIndices();
    let refused = 0;
    // The client itself repeats a request twice.
    server.fault = ({ path }) => (path.includes('_cluster/health') && refused++ < 8 ? { status: 503 } : 'none');
    expect(await restoreSnapshot(options, { repository, name })).toEqual(made);
    expect(refused).toBeGreaterThan(8);
  });

  it('is not restored without end when the cluster never says how far it is', async () => {
    await createSnapshot(options, { repository, name });
    await deleteIndices();
    server.fault = ({ path }) => (path.includes('_cluster/health') ? { status: 503 } : 'none');
    const restoring = restoreSnapshot(options, { repository, name, stallLimitMs: SHORT_STALL_MS });
    await expect(restoring).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
  });

  it('is restored however long a shard takes', async () => {
    const made = await createSnapshot(options, { repository, name });
    await deleteIndices();
    await putRepository({ max_restore_bytes_per_sec: '2kb' });
    const begunAt = performance.now();
    expect(await restoreSnapshot(options, { repository, name, stallLimitMs: SHORT_STALL_MS })).toEqual(made);
    expect(performance.now() - begunAt).toBeGreaterThan(SHORT_STALL_MS);
  });

  it('is not restored over closed indices', async () => {
    await createSnapshot(options, { repository, name });
    await client.indices.close({ index: await existing() });
    const refused = { code: 'CONFIG_INVALID', message: expect.stringContaining('delete these indices first') };
    await expect(restoreSnapshot(options, { repository, name })).rejects.toMatchObject(refused);
  });

  it('is opened to the apps as the last step', async () => {
    await createSnapshot(options, { repository, name });
    await deleteIndices();
    server.seen.splice(0);
    await restoreSnapshot(options, { repository, name });
    const changed = server.seen.filter(({ method }) => method === 'PUT').map(({ path }) => path.split('?')[0] ?? '');
    const changes = changed.map(decodeURIComponent);
    const settings = `/${options.indexPrefix}-progress/_settings`;
    const opened = [settings, settings, expect.stringContaining('-progress/_doc/'), `/${indices}/_settings`];
    expect(changes).toEqual(opened);
  });

  it('is not kept when a block was committed after the description of it was read', async () => {
    let release = (): void => undefined;
    const respondsAfter = new Promise<void>((resolve) => (release = resolve));
    const read = new Promise<void>((resolve) => {
      server.fault = ({ path }) => {
        if (!path.includes('-progress/_doc/')) return 'none';
        resolve();
        return { respondsAfter };
      };
    });
    const making = createSnapshot(options, { repository, name });
    await read;
    await write(1);
    release();
    await expect(making).rejects.toMatchObject({ code: 'STORE_IN_USE' });
    expect(await stateOf(name)).toBeUndefined();
  });

  it.each([
    ['that is being made', false, ''],
    ['that failed', true, 'PARTIAL'],
  ])('leaves the snapshot of another store %s alone', async (_, hole, state) => {
    await putRepository({ max_snapshot_bytes_per_sec: hole ? '1gb' : SLOW });
    await begin({ history_index_prefix: 'another', history_writes: '00' }, { hole });
    while (hole && (await stateOf(name)) !== state);
    await expect(createSnapshot(options, { repository, name })).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining(`has a snapshot ${name} already`),
    });
    expect(await stateOf(name)).toBe(hole ? state : 'IN_PROGRESS');
    await putRepository({});
  });

  it('says that the cluster failed to make it, and restores none of it', async () => {
    await putRepository({ max_snapshot_bytes_per_sec: SLOW });
    await begin({ history_index_prefix: options.indexPrefix, history_writes: '00' }, { hole: true });
    await expect(createSnapshot(options, { repository, name })).rejects.toMatchObject({
      code: 'STORE_REFUSED',
      message: expect.stringContaining(`could not make the snapshot ${name}`),
    });
    await deleteIndices();
    await expect(restoreSnapshot(options, { repository, name })).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining('is not complete'),
    });
  });

  it.each([
    ['nothing, before a restore', ({ path }: SeenRequest) => path.includes('/_settings?'), 'interrupted'],
    ['the indices, when a restore', isRestore, expect.stringContaining('delete the indices')],
  ])('tells an operator to delete %s has begun', async (_, pausedAt, message) => {
    await createSnapshot(options, { repository, name });
    await deleteIndices();
    const interrupted = new AbortController();
    const { arrived, resume } = server.suspend(pausedAt);
    const restored = restoreSnapshot(options, { repository, name, signal: interrupted.signal });
    await arrived;
    interrupted.abort();
    await expect(restored).rejects.toMatchObject({ code: 'STOPPED', message });
    resume();
    // Nothing can be deleted below a restore.
    while (pausedAt === isRestore && (await existing()).length === 0);
    await client.cluster.health({ index: indices, wait_for_status: 'green' });
  });

  it('lists the snapshots of the store in the order of time', async () => {
    const begunAt = Date.now();
    const names = ['c', 'a', 'b'];
    for (const each of names) await createSnapshot(options, { repository, name: each });
    const listed = await listSnapshots(options, repository);
    expect(listed.map((each) => each.name)).toEqual(names);
    // The server's clock moves in steps.
    expect(listed.every(({ takenAt }) => Math.abs(takenAt - begunAt) < 60_000)).toBe(true);
    expect(listed.every(({ chainId }) => chainId === CHAIN_ID)).toBe(true);
  });
});
