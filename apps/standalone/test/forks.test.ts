import { setTimeout as sleep } from 'node:timers/promises';
import { openSample, type SampleName } from '@antelope-history/test-support/recordings';
import type { ShipReplay } from '@antelope-history/ship-replay';
import { Chains, untilIndexed } from './chains';
import type { IngestionRun } from './ingestion-run';

const chains = new Chains();
afterAll(() => chains.close());

/** The forks of a recording: the number of messages before each, and its depth in blocks. */
function forksOf(sample: SampleName): { before: number; depth: number }[] {
  const numbers = openSample(sample).messages.flatMap(({ thisBlock }) => (thisBlock ? [thisBlock.num] : []));
  return numbers.flatMap((num, index) => {
    const depth = index === 0 ? 0 : numbers[index - 1]! - num + 1;
    return depth > 0 ? [{ before: index, depth }] : [];
  });
}

const FORKS = (['leap-edge', 'leap-forks'] as const).flatMap((sample) =>
  forksOf(sample).map((fork) => ({ sample, ...fork })),
);

/** Waits until all blocks of the node are committed. */
async function untilCaughtUp(run: IngestionRun, node: ShipReplay): Promise<void> {
  await run.until('what the node has', async () => (await run.committed()) === node.stats.headBlockNum);
}

function advanceTo(node: ShipReplay, position: number): void {
  node.advance(position - node.stats.position);
}

it('the recordings contain forks of 4 to 24 blocks', () => {
  expect(FORKS.map(({ depth }) => depth).sort((left, right) => left - right)).toEqual([4, 6, 7, 14, 15, 19, 24]);
});

describe.each(FORKS)('the fork of $depth blocks after message $before of $sample', ({ sample, before, depth }) => {
  it('is detected when it happened while the node was unavailable', async () => {
    const node = await chains.node(sample, { pace: 'manual', position: before });
    const data = chains.directory();
    const run = await chains.run({ urls: [node.url], path: data });
    await untilCaughtUp(run, node);
    node.refuseConnections(50);
    node.dropConnections();
    advanceTo(node, before + depth + 3);
    await untilCaughtUp(run, node);
    expect(await run.metric('history_forks_total')).toBeGreaterThanOrEqual(1);
    advanceTo(node, node.stats.length);
    await untilIndexed(run, node);
    await run.stop();
    expect(await chains.differences(sample, data)).toEqual([]);
  });

  it('is detected when it happened while the service was stopped', async () => {
    const node = await chains.node(sample, { pace: 'manual', position: before });
    const data = chains.directory();
    const first = await chains.run({ urls: [node.url], path: data });
    await untilCaughtUp(first, node);
    await first.stop();
    advanceTo(node, before + depth + 3);
    const second = await chains.run({ urls: [node.url], path: data });
    await untilCaughtUp(second, node);
    advanceTo(node, node.stats.length);
    await untilIndexed(second, node);
    await second.stop();
    expect(await chains.differences(sample, data)).toEqual([]);
  });
});

describe('stopping', () => {
  it.each([1, 2, 3])('at any moment is prompt, and the next start resumes (seed %i)', async (seed) => {
    const node = await chains.node('leap-edge', { faults: { seed, delayMs: { min: 0, max: 2 } } });
    const data = chains.directory();
    let pause = seed * 7;
    for (let stops = 0; stops < 25; stops++) {
      const run = await chains.run({ urls: [node.url], path: data });
      pause = (pause * 31 + 17) % 90;
      await sleep(pause);
      const start = performance.now();
      await run.stop();
      expect(performance.now() - start).toBeLessThan(5_000);
      expect(run.failures).toEqual([]);
    }
    node.setFaults({});
    const last = await chains.run({ urls: [node.url], path: data });
    await untilIndexed(last, node);
    await last.stop();
    expect(await chains.differences('leap-edge', data)).toEqual([]);
  });

  it('is prompt while nodes are unavailable', async () => {
    const run = await chains.run({ urls: ['ws://127.0.0.1:9'], reconnectMinSeconds: 60, reconnectMaxSeconds: 60 });
    await run.until('a wait', () => run.waits().length > 0);
    const start = performance.now();
    await run.stop();
    expect(performance.now() - start).toBeLessThan(5_000);
  });
});
