import type { Client } from '@elastic/elasticsearch';
import type { ChainStatus } from '@antelope-history/store';
import { HistoryError } from '@antelope-history/schemas';
import type { ProgressDocument } from '../indices/documents';
import type { IndexNames } from '../indices/index-names';
import { askedIfThere, errorTypeOf, toStoreError } from '../client/store-errors';

/** Grows with every change of what documents, ids or mappings mean. */
export const FORMAT_VERSION = 1;

const PROGRESS_ID = 'progress';

/** The progress document as it was read, to be replaced only if nobody did meanwhile. */
export interface ReadProgress {
  progress: ProgressDocument;
  seqNo: number;
  primaryTerm: number;
}

/** What stands in the progress document of a store in which nothing was written. */
export function emptyProgress(blocksPerIndex: number): ProgressDocument {
  return {
    format_version: FORMAT_VERSION,
    blocks_per_index: blocksPerIndex,
    chain_id: undefined,
    first_block_num: undefined,
    committed: undefined,
    head: undefined,
    last_irreversible: undefined,
    revision: 0,
    view: { session: 0, ordinal: 0 },
    end_sequence: 0,
    clean_up_to: 0,
    branch: [],
  };
}

/** The status that every answer carries. */
export function statusOf(progress: ProgressDocument): ChainStatus {
  return {
    chainId: progress.chain_id,
    firstBlockNum: progress.first_block_num,
    committed: progress.committed,
    head: progress.head,
    lastIrreversible: progress.last_irreversible,
    revision: progress.revision,
  };
}

/** The one document that says what is committed. */
export class ProgressStore {
  constructor(
    private readonly client: Client,
    private readonly names: IndexNames,
  ) {}

  /**
   * The newest progress, whether a search sees it already or not; undefined while nothing was ever written. Rejects with
   * `STORE_FORMAT_MISMATCH` when another version wrote it.
   */
  async read(): Promise<ReadProgress | undefined> {
    const got = await askedIfThere(
      this.client.get<ProgressDocument>({ index: this.names.progress, id: PROGRESS_ID, realtime: true }),
    );
    if (!got?._source) return undefined;
    assertFormat(got._source.format_version);
    return { progress: got._source, seqNo: got._seq_no ?? 0, primaryTerm: got._primary_term ?? 0 };
  }

  /** Writes the first progress of a store; false when somebody did before. */
  create(progress: ProgressDocument): Promise<boolean> {
    return won(this.client.create({ index: this.names.progress, id: PROGRESS_ID, document: progress, refresh: false }));
  }

  /** Replaces what was read; false when it is no longer what is there. */
  replace(read: ReadProgress, progress: ProgressDocument): Promise<boolean> {
    return won(
      this.client.index({
        index: this.names.progress,
        id: PROGRESS_ID,
        document: progress,
        if_seq_no: read.seqNo,
        if_primary_term: read.primaryTerm,
        refresh: false,
      }),
    );
  }
}

/** Whether a write came first. One that was sent twice may lose against itself: who lost reads again. */
async function won(write: Promise<unknown>): Promise<boolean> {
  try {
    await write;
    return true;
  } catch (error) {
    if (errorTypeOf(error) === 'version_conflict_engine_exception') return false;
    throw toStoreError(error);
  }
}

function assertFormat(format: number): void {
  if (format === FORMAT_VERSION) return;
  throw new HistoryError(
    'STORE_FORMAT_MISMATCH',
    `the indices have format ${format}, this version reads format ${FORMAT_VERSION}: ` +
      'use another store.elasticsearch.index_prefix and index again, or the version that wrote it',
  );
}
