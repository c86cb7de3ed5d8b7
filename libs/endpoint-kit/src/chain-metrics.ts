import { committedAgeSeconds } from './chain-health';
import { gauge, type Registry } from '@antelope-history/app-runtime';
import type { ChainStatus, HistoryReader } from '@antelope-history/store';

/** Registers the gauge of the store's block numbers. It reads them at each scrape. */
export function countChainStatus(reader: HistoryReader, registry: Registry): void {
  let last: ChainStatus | undefined;
  gauge(registry, {
    name: 'history_committed_block_age_seconds',
    help: "Seconds since the committed block's own time; 0 if there is none",
    async collect() {
      // While the store does not respond, the newest data that clients have seen grow older.
      last = await reader.getStatus().catch(() => last);
      this.set(committedAgeSeconds(last) ?? 0);
    },
  });
  const blocks = gauge(registry, {
    name: 'history_block_number',
    help: 'Number of the first block, the committed head, the head and the last irreversible block; 0 if there is none',
    labelNames: ['position'],
    async collect() {
      const status = await reader.getStatus().catch(() => undefined);
      if (!status) return;
      this.set({ position: 'first' }, status.firstBlockNum ?? 0);
      this.set({ position: 'committed' }, status.committed?.num ?? 0);
      this.set({ position: 'head' }, status.head?.num ?? 0);
      this.set({ position: 'last_irreversible' }, status.lastIrreversible?.num ?? 0);
    },
  });
  for (const position of ['first', 'committed', 'head', 'last_irreversible'] as const) blocks.set({ position }, 0);
}
