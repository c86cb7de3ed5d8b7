import type { Client } from '@elastic/elasticsearch';
import type { BlockRecords } from '@antelope-history/records';
import { HistoryError } from '@antelope-history/schemas';
import type { ChainStatus, Progress, StoreWriter } from '@antelope-history/store';
import { closeInTime } from '../client/client';
import { withStoreErrors } from '../client/store-errors';
import { statusOf } from '../indices/progress';
import type { BlockWriter } from '../write/block-writer';
import type { BulkWriter } from '../write/bulk-writer';
import { isFarBehind } from '../write/far-behind';
import type { BranchPositions } from './branch-positions';
import type { CommitSchedule } from './commit-schedule';
import type { Journal } from './journal';
import type { ProgressStore } from './progress-store';

const FREE_BYTES = 'nodes.*.fs.total.available_in_bytes';
/** Each conflict means that another writer has changed the progress. */
const MAX_TRIES = 50;

/** The write side of the shared store: it writes documents, then the journal; any writer then moves the progress. */
export class ElasticsearchWriter implements StoreWriter {
  private readonly running = new Set<Promise<unknown>>();
  private closed = false;

  constructor(
    private readonly parts: {
      client: Client;
      progress: ProgressStore;
      positions: BranchPositions;
      blocks: BlockWriter;
      journal: Journal;
      commits: CommitSchedule;
      bulk: BulkWriter;
    },
  ) {}

  async getProgress(): Promise<Progress> {
    this.assertOpen();
    const { progress } = await this.parts.progress.require();
    const positions = await this.parts.positions.of(progress);
    return { status: statusOf(progress), positions, sequence: progress.view.ordinal };
  }

  async readFreeBytes(): Promise<number> {
    this.assertOpen();
    const { nodes } = await withStoreErrors(this.parts.client.nodes.stats({ metric: 'fs', filter_path: FREE_BYTES }));
    const free = Object.values(nodes).flatMap(({ fs }) => fs?.total?.available_in_bytes ?? []);
    if (free.length === 0) throw new HistoryError('STORE_UNAVAILABLE', 'no node reports the free bytes of its disks');
    return Math.min(...free);
  }

  setChainId(chainId: string): Promise<void> {
    return this.track(() => this.tieToChain(chainId));
  }

  writeBlocks(blocks: BlockRecords[], postpone?: (block: BlockRecords) => void): Promise<ChainStatus> {
    return this.track(() => this.write(blocks, postpone));
  }

  maintain(): Promise<ChainStatus> {
    return this.track(async () => (await this.parts.commits.commitIfDue()) ?? this.status());
  }

  /** Writes that are not durable yet are given up. */
  async close(): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    await closeInTime(async () => {
      this.parts.bulk.stop();
      await Promise.allSettled(this.running);
      await this.parts.commits.idle();
      await this.parts.client.close();
    });
  }

  private async write(blocks: BlockRecords[], postpone?: (block: BlockRecords) => void): Promise<ChainStatus> {
    const unseen = blocks.find(({ streamPosition }) => streamPosition.sequence <= 0);
    if (unseen) throw new HistoryError('INTERNAL', `block ${unseen.position.num} has no stream position`);
    const mayPostpone = postpone !== undefined;
    const { written, postponed } = await this.parts.blocks.write(blocks, mayPostpone, {
      read: async () => (await this.parts.progress.require()).progress,
      reserve: (blockNum) => this.parts.progress.reserve(blockNum),
    });
    await this.parts.journal.add(written);
    for (const block of postponed) postpone?.(block);
    const newest = written.at(-1)?.block ?? postponed.at(-1);
    const status = await this.parts.commits.written(newest !== undefined && isFarBehind(newest), postponed.length > 0);
    return status ?? this.status();
  }

  private async tieToChain(chainId: string): Promise<void> {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const read = await this.parts.progress.require();
      const stored = read.progress.chain_id;
      if (stored === chainId) return;
      if (stored !== undefined) {
        throw new HistoryError(
          'CHAIN_ID_MISMATCH',
          `the indices hold chain ${stored}, the node is on chain ${chainId}: use another store.elasticsearch.index_prefix`,
        );
      }
      if (await this.parts.progress.replace(read, { ...read.progress, chain_id: chainId })) return;
    }
    throw new HistoryError('STORE_UNAVAILABLE', 'the progress changed on every attempt to set the chain id');
  }

  private async status(): Promise<ChainStatus> {
    return statusOf((await this.parts.progress.require()).progress);
  }

  private assertOpen(): void {
    if (this.closed) throw new HistoryError('STOPPED', 'the store is closed');
  }

  private async track<T>(task: () => Promise<T>): Promise<T> {
    this.assertOpen();
    const running = task();
    this.running.add(running);
    const done = (): void => void this.running.delete(running);
    running.then(done, done);
    return running;
  }
}
