import type { ChainStatus } from '@antelope-history/records';
import type { HealthAnswer, HealthStatus } from '@antelope-history/schemas';
import { readServiceVersion } from '@antelope-history/service';
import type { HistoryReader } from '@antelope-history/store';

/** A head at most this far away counts as reached: five seconds of blocks. */
const REACHED_LAG_BLOCKS = 10;

/** How an API is: `down` when its store does not answer. */
export function createHealthReader(reader: HistoryReader): () => Promise<HealthAnswer> {
  const version = readServiceVersion();
  return async () => {
    try {
      return describeHealth(await reader.getStatus(), version);
    } catch {
      return { ...describeHealth(undefined, version), status: 'down' };
    }
  };
}

/** How an API is, as its heartbeats tell it. */
export function createStatusReader(reader: HistoryReader): () => Promise<HealthStatus> {
  const readHealth = createHealthReader(reader);
  return async () => (await readHealth()).status;
}

function describeHealth(status: ChainStatus | undefined, version: string): HealthAnswer {
  const head = status?.head?.num;
  const committed = status?.committed?.num;
  const lag = head !== undefined && committed !== undefined ? Math.max(0, head - committed) : undefined;
  return {
    status: lag !== undefined && lag <= REACHED_LAG_BLOCKS ? 'ok' : 'catching_up',
    version,
    chain_id: status?.chainId ?? null,
    head_block_num: head ?? null,
    committed_block_num: committed ?? null,
    last_irreversible_block_num: status?.lastIrreversible?.num ?? null,
    lag_blocks: lag ?? null,
    components: { store: { status: status ? 'ok' : 'down' } },
    // A store holds one range of blocks without a gap, from its first to the committed head.
    incomplete_ranges: [],
  };
}
