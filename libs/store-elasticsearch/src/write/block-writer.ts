import type { BlockRecords } from '@antelope-history/records';
import type { ProgressDocument } from '../indices/documents';
import { RANGED_KINDS, type IndexNames } from '../indices/index-names';
import { isOnBranch, layoutOf, writeTermsOf } from '../indices/progress';
import { documentsOf, type JournalData, type NewDocument } from './block-documents';
import type { BulkRequest } from './bulk-request';
import type { BulkWriter } from './bulk-writer';
import type { DataAbis } from './data-abis';
import { isFarBehind } from './far-behind';
import { type IndexProvisioner, LostIndexError } from './index-provisioner';
import { MissingIndexError, type WriteFences } from './write-fence';

/** How long a progress that was read decides which blocks to write. A longer time only writes more in vain. */
const PROGRESS_AGE_MS = 10_000;
/** Each attempt after the first means that the write term has ended or that an index was deleted meanwhile. */
const MAX_TRIES = 10;

/** The progress, as it is read and changed while blocks are written. */
export interface ProgressSource {
  read(): Promise<ProgressDocument>;
  /** Moves `ranges.unwritten_from` above a block number; returns the progress that says so. */
  reserve(blockNum: number): Promise<ProgressDocument>;
}

/** A block whose documents are durable, and what the journal says of its data. */
export interface WrittenBlock {
  block: BlockRecords;
  journal: JournalData;
}

/** What became of the blocks of a write. */
export interface BlockWrite {
  /** The blocks to add to the journal. */
  written: WrittenBlock[];
  /** Those that need an ABI which another process has yet to write. */
  postponed: BlockRecords[];
}

/** Makes the documents of blocks durable, in any order, each time they are delivered. */
export class BlockWriter {
  constructor(
    private readonly parts: {
      names: IndexNames;
      indices: IndexProvisioner;
      fences: WriteFences;
      bulk: BulkWriter;
      dataAbis: DataAbis;
    },
    /** A request is sent when it has this many bytes. */
    private readonly bulkBytes: number,
  ) {}

  /**
   * Writes the documents of blocks that can still join the branch; with `mayPostpone`, not of those that need an ABI which
   * another process has yet to write. Rejects as `BulkWriter.write`.
   */
  async write(blocks: readonly BlockRecords[], mayPostpone: boolean, source: ProgressSource): Promise<BlockWrite> {
    for (let tries = 1; ; tries++) {
      try {
        const write: BlockWrite = { written: [], postponed: [] };
        await this.parts.bulk.write(this.requestsOf(blocks, mayPostpone, source, write));
        return write;
      } catch (error) {
        // The range of a block may have been removed since the progress was read: the next attempt leaves the block out.
        const mayBeRemoved = error instanceof LostIndexError && tries === 1;
        if (!(error instanceof MissingIndexError || mayBeRemoved) || tries === MAX_TRIES) throw error;
        await this.reopen(await source.read());
      }
    }
  }

  /** Prepares for another attempt: indices may have to be created, and the term of the progress may not have begun. */
  private async reopen(progress: ProgressDocument): Promise<void> {
    const terms = writeTermsOf(progress);
    this.parts.indices.forget();
    for (const blocks of ['reversible', 'irreversible'] as const) {
      this.parts.fences[blocks].forget();
      await this.parts.fences[blocks].begin(terms[blocks]);
    }
  }

  private async *requestsOf(
    blocks: readonly BlockRecords[],
    mayPostpone: boolean,
    source: ProgressSource,
    write: BlockWrite,
  ): AsyncGenerator<BulkRequest> {
    let progress = await source.read();
    let readAt = performance.now();
    let request = this.newRequest();
    for (const block of blocks) {
      if (performance.now() - readAt > PROGRESS_AGE_MS) {
        progress = await source.read();
        readAt = performance.now();
      }
      if (block.streamPosition.sequence <= progress.view.ordinal) continue;
      // Before anything is decided about the block: all of it has to follow from one progress, and this returns another.
      if (!isReserved(block, progress)) progress = await source.reserve(block.position.num);
      const decoded = await this.parts.dataAbis.decode(block, progress, mayPostpone);
      if (!decoded) {
        write.postponed.push(block);
        continue;
      }
      write.written.push({ block, journal: decoded.journal });
      if (isDecided(block, progress)) continue;
      const targetOf = await this.openTargets(block, progress);
      for (const { kind, id, json, version } of documentsOf(block, decoded.terms, layoutOf(progress))) {
        request.put(targetOf(kind), id, version, json, block.position);
        if (request.bytes < this.bulkBytes) continue;
        yield request;
        request = this.newRequest();
      }
    }
    if (request.count > 0) yield request;
  }

  private newRequest(): BulkRequest {
    const request = this.parts.bulk.newRequest();
    request.requiresAliases = true;
    return request;
  }

  /** Makes sure that the indices of a block exist, and opens them; the function returns the alias of a kind. */
  private async openTargets(
    block: BlockRecords,
    progress: ProgressDocument,
  ): Promise<(kind: NewDocument['kind']) => string> {
    const { position, lastIrreversible } = block;
    const blocks = position.num <= lastIrreversible.num ? 'irreversible' : 'reversible';
    const term = writeTermsOf(progress)[blocks];
    await this.parts.indices.ensureRange(position.num, progress, isFarBehind(block));
    await this.parts.indices.ensureState(progress);
    const indices = new Map<string, string>(
      RANGED_KINDS.map((kind) => [kind, this.parts.names.ranged(kind, position.num, progress)]),
    );
    const indexOf = (kind: NewDocument['kind']): string => indices.get(kind) ?? this.parts.names.of(kind);
    await this.parts.fences[blocks].open(
      [...indices.values(), this.parts.names.abis, this.parts.names.permissions],
      term,
    );
    return (kind) => this.parts.names.writeAlias(indexOf(kind), blocks, term);
  }
}

/** Whether the progress says that a process may have written a block of the number: its range is decided. */
function isReserved({ position }: BlockRecords, { ranges }: ProgressDocument): boolean {
  return !ranges || position.num < ranges.unwritten_from;
}

/** Whether a block is committed, and its documents are therefore whole, or never will be: another one of its number is irreversible. */
function isDecided({ position }: BlockRecords, progress: ProgressDocument): boolean {
  const { committed, last_irreversible: irreversible } = progress;
  return isOnBranch(position, progress) || position.num <= Math.min(committed?.num ?? 0, irreversible?.num ?? 0);
}
