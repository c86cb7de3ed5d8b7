import { blockTimestampToMs } from '@antelope-history/abi';
import { describeLag, type HealthResponse, type HealthStatus } from '@antelope-history/schemas';
import { readServiceVersion } from '@antelope-history/app-runtime';
import type { ChainStatus, HistoryReader } from '@antelope-history/store';

/** Returns the function that reads the health of an API: `down` when its store fails. */
export function createHealthReader(reader: HistoryReader): () => Promise<HealthResponse> {
  const version = readServiceVersion();
  return async () => {
    try {
      return describeHealth(await reader.getStatus(), version);
    } catch {
      return { ...describeHealth(undefined, version), status: 'down' };
    }
  };
}

/** Returns the function that reads the status that an API reports in its heartbeats. */
export function createStateReader(reader: HistoryReader): () => Promise<{ status: HealthStatus }> {
  const readHealth = createHealthReader(reader);
  return async () => ({ status: (await readHealth()).status });
}

/** Seconds since the time of the committed block; undefined when there is none. */
export function committedAgeSeconds(status: ChainStatus | undefined): number | undefined {
  const slot = status?.committedTimestamp;
  return slot === undefined ? undefined : (Date.now() - blockTimestampToMs(slot)) / 1000;
}

function describeHealth(status: ChainStatus | undefined, version: string): HealthResponse {
  const head = status?.head?.num;
  const committed = status?.committed?.num;
  const { status: reached, lag } = describeLag(head, committed);
  return {
    status: reached,
    version,
    chain_id: status?.chainId ?? null,
    first_block_num: status?.firstBlockNum ?? null,
    state_complete: status?.committed ? !status.lacksState : null,
    head_block_num: head ?? null,
    committed_block_num: committed ?? null,
    last_irreversible_block_num: status?.lastIrreversible?.num ?? null,
    lag_blocks: lag ?? null,
    committed_age_seconds: committedAgeSeconds(status) ?? null,
    data_fields: { ...status?.dataFields },
    components: { store: { status: status ? 'ok' : 'down' } },
    // A store contains every block from its first one to the committed head.
    incomplete_ranges: [],
  };
}
