import type { Client } from '@elastic/elasticsearch';
import type { BlockPosition } from '@antelope-history/schemas';
import type { ChainStatus } from '@antelope-history/store';
import { undefinedIfMissing } from '../client/store-errors';
import type { ActionLayout, ProgressDocument } from './documents';
import { assertFormat, FORMAT_VERSION } from './format-version';
import type { FencedBlocks, IndexNames } from './index-names';

/**
 * For this time after its progress was read, a query relies on what it reads: no writer deletes it, and no repair makes lost indices anew
 * (`BranchCleaner`, `PermissionCleaner`, `BlockRepair`).
 */
export const READABLE_FOR_MS = 10_000;

/** The id of the one document that says what is committed. */
export const PROGRESS_ID = 'progress';

/** The progress document as it was read, with the version that compare and set needs. */
export interface ReadProgress {
  progress: ProgressDocument;
  seqNo: number;
  primaryTerm: number;
}

/** The progress document of an empty store. */
export function emptyProgress(blocksPerIndex: number): ProgressDocument {
  return {
    format_version: FORMAT_VERSION,
    action_layout: 'doc-values',
    blocks_per_index: blocksPerIndex,
    ranges: { starts: [], unwritten_from: 0 },
    chain_id: undefined,
    first_block_num: undefined,
    committed: undefined,
    head: undefined,
    last_irreversible: undefined,
    revision: 0,
    view: { session: 0, ordinal: 0 },
    end_sequence: 0,
    clean_up_to: 0,
    write_term: 0,
    history_term: 0,
    counts_traces: true,
    branch: [],
  };
}

/** The layout of the store's actions; that of a new store without a progress. */
export function layoutOf(progress: ProgressDocument | undefined): ActionLayout {
  return progress ? (progress.action_layout ?? 'source') : 'doc-values';
}

/** The current write terms. */
export function writeTermsOf({
  write_term: reversible = 0,
  history_term: irreversible = 0,
}: Pick<ProgressDocument, 'write_term' | 'history_term'>): Record<FencedBlocks, number> {
  return { reversible, irreversible };
}

/** Whether all writers index by these data fields; true if the progress does not say. */
export function areWriterFields(
  keys: readonly string[],
  { writer_fields: writers }: Pick<ProgressDocument, 'writer_fields'>,
): boolean {
  return !writers || writers.keys.join() === [...keys].sort().join();
}

/** Whether a block is among the newest blocks of the committed branch, which the progress lists. */
export function isOnBranch({ num, id }: BlockPosition, { branch }: ProgressDocument): boolean {
  return branch[num - (branch[0]?.num ?? 0)]?.id === id;
}

/** The newest block that may have set an ABI. */
export function abisChangedUpTo({ abis_changed: changed, view, committed }: ProgressDocument): number {
  return changed?.ordinal === view.ordinal ? changed.block_num : (committed?.num ?? 0);
}

/** The status that every result carries. */
export function statusOf(progress: ProgressDocument): ChainStatus {
  return {
    chainId: progress.chain_id,
    ...(progress.store_id !== undefined && { storeId: progress.store_id }),
    firstBlockNum: progress.first_block_num,
    ...(progress.has_removed_blocks && { hasRemovedBlocks: true as const }),
    ...(progress.lacks_state && { lacksState: true as const }),
    committed: progress.committed,
    committedTimestamp: progress.committed_timestamp,
    head: progress.head,
    lastIrreversible: progress.last_irreversible,
    dataFields: progress.data_fields ?? {},
    revision: progress.revision,
  };
}

/** Reads the progress document. */
export class ProgressReader {
  constructor(
    protected readonly client: Client,
    protected readonly names: IndexNames,
  ) {}

  /**
   * The newest progress, also before a refresh; undefined while the store has none. Rejects with `STORE_FORMAT_MISMATCH` when
   * another format version wrote it.
   */
  async read(): Promise<ReadProgress | undefined> {
    const got = await undefinedIfMissing(
      this.client.get<ProgressDocument>({ index: this.names.progress, id: PROGRESS_ID, realtime: true }),
    );
    if (!got?._source) return undefined;
    assertFormat(got._source.format_version);
    return { progress: got._source, seqNo: got._seq_no ?? 0, primaryTerm: got._primary_term ?? 0 };
  }
}
