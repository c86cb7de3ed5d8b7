import { openLmdbStoreReader } from '@antelope-history/store-lmdb/reader';
import { createRecording, emptyBlocks, openSample, positionOf } from '@antelope-history/test-support/recordings';
import { Chains, untilIndexed } from './chains';
import { fromFirst, withAltered, withoutPart } from './made-recordings';

const chains = new Chains();
afterAll(() => chains.close());

const SAMPLE = 'leap-edge';
const WHOLE = openSample(SAMPLE);
/**
 * A replayed node advances when a client asks for more. One that another node was read before must be past the forks below that
 * node's irreversible block: the reader refuses it otherwise, and leaves before it advances.
 */
const AHEAD = { position: 230 };

describe.each(['traces', 'deltas'] as const)('a node that does not keep %s', (part) => {
  it('is refused, and the next one is read', async () => {
    const partial = await chains.node(SAMPLE, { recording: withoutPart(WHOLE, part, 0), chainId: WHOLE.chainId! });
    const whole = await chains.node(SAMPLE);
    const data = chains.directory();
    const run = await chains.run({ urls: [partial.url, whole.url], path: data });
    await untilIndexed(run, whole);
    await run.stop();
    expect(await run.metric('history_ship_nodes_refused_total', { code: 'SHIP_DATA_MISSING' })).toBeGreaterThan(0);
    expect(await chains.differences(SAMPLE, data)).toEqual([]);
  });

  it('any more from a block on is left there, also when it is read again after an outage of the other', async () => {
    const partial = await chains.node(SAMPLE, { recording: withoutPart(WHOLE, part, 200), chainId: WHOLE.chainId! });
    const whole = await chains.node(SAMPLE);
    const data = chains.directory();
    const run = await chains.run({ urls: [partial.url, whole.url], path: data });
    await run.until('the other node is read', () => whole.stats.connections.length > 0);
    whole.dropConnections();
    await untilIndexed(run, whole);
    await run.stop();
    expect(run.failures).toEqual([]);
    expect(await chains.differences(SAMPLE, data)).toEqual([]);
  });
});

describe('a node that has just started and keeps no chain state', () => {
  it('is refused with its second block, and gives no first one without the state of genesis', async () => {
    const recording = withoutPart(WHOLE, 'deltas', 0);
    const partial = await chains.node(SAMPLE, { recording, chainId: WHOLE.chainId!, pace: 'manual' });
    const whole = await chains.node(SAMPLE);
    const data = chains.directory();
    const run = await chains.run({ urls: [partial.url, whole.url], path: data });
    const refusals = () => run.metric('history_ship_nodes_refused_total', { code: 'SHIP_DATA_MISSING' });
    await run.until('the first block is acknowledged', () => partial.stats.connections.at(-1)?.acknowledged === 1);
    partial.advance();
    await untilIndexed(run, whole);
    await run.stop();
    expect(await refusals()).toBeGreaterThan(0);
    expect(await chains.differences(SAMPLE, data)).toEqual([]);
  });
});

describe('a node of EOSIO 2.0 that has just started', () => {
  it('is read from block 1 on, although only block 2 brings the state', async () => {
    const node = await chains.node('eosio20-edge', { position: 1 });
    const data = chains.directory();
    const run = await chains.run({ urls: [node.url], path: data });
    await untilIndexed(run, node);
    await run.stop();
    const store = await openLmdbStoreReader({ path: data, mapSizeBytes: 0 });
    expect((await store.getStatus()).firstBlockNum).toBe(1);
    expect((await store.hasAccount('eosio.null')).exists).toBe(true);
    await store.close();
  });
});

describe('a node with an altered action', () => {
  it('is refused, and the next one is read', async () => {
    const damaged = await chains.node(SAMPLE, { recording: withAltered(WHOLE, 200), chainId: WHOLE.chainId! });
    const whole = await chains.node(SAMPLE, AHEAD);
    const data = chains.directory();
    const run = await chains.run({ urls: [damaged.url, whole.url], path: data, verifyBlocks: 'all' });
    await untilIndexed(run, whole);
    await run.stop();
    expect(await run.metric('history_ship_nodes_refused_total', { code: 'BLOCK_ALTERED' })).toBeGreaterThan(0);
    expect(await run.metric('history_verified_blocks_total', { actions: 'proved' })).toBeGreaterThan(500);
    expect(await chains.differences(SAMPLE, data)).toEqual([]);
  });
});

describe('a node that stays connected and stands still', () => {
  it('is left for the next one after the configured time', async () => {
    const still = await chains.node(SAMPLE, { pace: 'manual', position: 150 });
    const whole = await chains.node(SAMPLE, AHEAD);
    const data = chains.directory();
    const run = await chains.run({ urls: [still.url, whole.url], path: data, silenceSeconds: 0.3 });
    await untilIndexed(run, whole);
    await run.stop();
    expect(await run.metric('history_ship_disconnects_total', { code: 'SHIP_SILENT' })).toBeGreaterThan(0);
    expect(await chains.differences(SAMPLE, data)).toEqual([]);
  });
});

describe('a fork that begins far below the listed blocks while no node is read', () => {
  it('is found and followed', async () => {
    const trunk = emptyBlocks(undefined, 1_200, 'trunk');
    const fork = emptyBlocks(positionOf(101, 'trunk'), 1_150, 'fork');
    const first = await chains.node(SAMPLE, { recording: createRecording(WHOLE.abi, trunk), chainId: WHOLE.chainId! });
    const recording = createRecording(WHOLE.abi, [...trunk.slice(0, 101), ...fork]);
    const second = await chains.node(SAMPLE, { recording, chainId: WHOLE.chainId!, position: 'end' });
    const data = chains.directory();
    const run = await chains.run({ urls: [first.url, second.url], path: data, verifyBlocks: 'off' });
    await untilIndexed(run, first);
    await first.close();
    await untilIndexed(run, second);
    await run.stop();
    expect(run.failures).toEqual([]);
    const store = await openLmdbStoreReader({ path: data, mapSizeBytes: 0 });
    const { committed, revision } = await store.getStatus();
    expect(committed).toEqual(positionOf(1_251, 'fork'));
    expect(revision).toBe(1);
    const { block } = await store.getBlock({ num: 102 });
    expect(block?.position.id).toBe(positionOf(102, 'fork').id);
    await store.close();
  });
});

describe('a node of another chain', () => {
  it.each(['leap-edge', 'eosio20-edge'] as const)(
    'whose head is below the stored one is refused, although %s names no chain or the same one',
    async (sample) => {
      const data = chains.directory();
      const own = await chains.node(sample);
      const before = await chains.run({ urls: [own.url], path: data });
      await untilIndexed(before, own);
      await before.stop();
      const { abi } = openSample(sample);
      const recording = createRecording(abi, emptyBlocks(undefined, 50, 'trunk'));
      const stranger = await chains.node(sample, { recording, chainId: openSample(sample).chainId!, position: 'end' });
      const run = await chains.run({ urls: [stranger.url], path: data });
      await run.until('the node is refused', async () => (await run.metric('history_ship_nodes_refused_total')) > 0);
      await run.stop();
      expect(run.log.find(({ code }) => code === 'FORK_TOO_DEEP')?.msg).toContain('the node is on another chain');
      expect(run.failures).toEqual([]);
      expect(await chains.differences(sample, data)).toEqual([]);
    },
  );
});

describe('two nodes whose logs begin at different blocks', () => {
  it.each([
    ['the shorter log first', 0],
    ['the longer log first', 1],
  ])('give one chain from an empty store on, %s, whenever the first is lost', async (_which, longer) => {
    const trunk = emptyBlocks(undefined, 300, 'trunk');
    const options = { chainId: WHOLE.chainId! };
    for (const dropAfter of [1, 2, 30]) {
      const recordings = [fromFirst(trunk, 99), trunk].map((messages) => createRecording(WHOLE.abi, messages));
      if (longer === 1) recordings.reverse();
      const [first, second] = await Promise.all([
        chains.node(SAMPLE, { ...options, recording: recordings[0]!, faults: { dropAfter } }),
        chains.node(SAMPLE, { ...options, recording: recordings[1]! }),
      ]);
      const data = chains.directory();
      const run = await chains.run({ urls: [first.url, second.url], path: data, verifyBlocks: 'off' });
      await run.until('the last block', async () => (await run.committed()) === 300);
      await run.stop();
      expect(run.failures).toEqual([]);
    }
  });
});
