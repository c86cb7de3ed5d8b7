import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createShipReplay, type ShipReplay, type ShipReplayOptions } from '@antelope-history/ship-replay';
import { openLmdbStoreReader } from '@antelope-history/store-lmdb/reader';
import { compareStores } from '@antelope-history/store/compare-stores';
import { openSample, type SampleName } from '@antelope-history/test-support/recordings';
import { IngestionRun, type RunOptions } from './ingestion-run';

/** The nodes, runs and data directories of one test file. `close` stops and removes them. */
export class Chains {
  private readonly folder = mkdtempSync(path.join(tmpdir(), 'antelope-history-standalone-'));
  private readonly nodes: ShipReplay[] = [];
  private readonly runs: IngestionRun[] = [];
  private readonly unbroken = new Map<SampleName, Promise<string>>();
  private made = 0;

  async node(sample: SampleName, options: Partial<ShipReplayOptions> = {}): Promise<ShipReplay> {
    const node = await createShipReplay({ recording: openSample(sample), ...options });
    this.nodes.push(node);
    return node;
  }

  async run(options: Partial<RunOptions> & { urls: string[] }): Promise<IngestionRun> {
    const run = await IngestionRun.start({ path: this.directory(), ...options });
    this.runs.push(run);
    return run;
  }

  /** A new data directory. */
  directory(): string {
    return path.join(this.folder, String(++this.made));
  }

  /** The differences to the store of an uninterrupted run. Fails when the stores have too few blocks to compare. */
  async differences(sample: SampleName, data: string): Promise<string[]> {
    const whole = await openLmdbStoreReader({ path: await this.unbrokenData(sample), mapSizeBytes: 0 });
    const other = await openLmdbStoreReader({ path: data, mapSizeBytes: 0 });
    try {
      const { differences, actions, blocks } = await compareStores(whole, other);
      expect(Math.min(actions, blocks)).toBeGreaterThan(50);
      return differences;
    } finally {
      await whole.close();
      await other.close();
    }
  }

  async close(): Promise<void> {
    for (const run of this.runs) await run.stop();
    for (const node of this.nodes) await node.close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  private unbrokenData(sample: SampleName): Promise<string> {
    let data = this.unbroken.get(sample);
    if (!data) this.unbroken.set(sample, (data = this.indexUnbroken(sample)));
    return data;
  }

  private async indexUnbroken(sample: SampleName): Promise<string> {
    const data = this.directory();
    const node = await this.node(sample);
    const run = await this.run({ urls: [node.url], path: data });
    await untilIndexed(run, node);
    await run.stop();
    return data;
  }
}

/** Waits until a node has sent its whole recording and all of it is committed and acknowledged. */
export async function untilIndexed(run: IngestionRun, node: ShipReplay, limitMs?: number): Promise<void> {
  await run.until(
    'the whole recording is committed',
    async () => {
      const { position, length, headBlockNum, connections } = node.stats;
      const last = connections.at(-1);
      if (position < length || last === undefined || !last.open || last.sent > last.acknowledged) return false;
      return (await run.committed()) === headBlockNum;
    },
    limitMs,
  );
}
