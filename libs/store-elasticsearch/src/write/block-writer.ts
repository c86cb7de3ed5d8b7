import type { BlockRecords } from '@antelope-history/records';
import type { ProgressDocument } from '../indices/documents';
import { RANGED_KINDS, type IndexNames, type RangedKind } from '../indices/index-names';
import { documentsOf, type NewDocument } from './block-documents';
import { BulkRequest } from './bulk-request';
import type { BulkWriter } from './bulk-writer';
import { isFarBehind } from './far-behind';
import type { IndexProvisioner } from './index-provisioner';

/**
 * How long a progress that was read decides which blocks to write. Together with `SEND_LIMIT_MS` and the request timeout it
 * bounds how late a document of an orphaned block can still be written: see `CleaningRules`.
 */
const PROGRESS_AGE_MS = 10_000;

/** Makes the documents of blocks durable, in any order, each time they are delivered. */
export class BlockWriter {
  constructor(
    private readonly names: IndexNames,
    private readonly indices: IndexProvisioner,
    private readonly bulk: BulkWriter,
    private readonly bulkBytes: number,
  ) {}

  /**
   * Writes the documents of blocks that can still join the branch; returns the blocks to add to the journal. Rejects as
   * `BulkWriter.write`.
   */
  async write(blocks: readonly BlockRecords[], readProgress: () => Promise<ProgressDocument>): Promise<BlockRecords[]> {
    const wanted: BlockRecords[] = [];
    await this.bulk.write(this.requestsOf(blocks, readProgress, wanted));
    return wanted;
  }

  private async *requestsOf(
    blocks: readonly BlockRecords[],
    readProgress: () => Promise<ProgressDocument>,
    wanted: BlockRecords[],
  ): AsyncGenerator<BulkRequest> {
    let progress = await readProgress();
    let readAt = performance.now();
    let request = new BulkRequest();
    for (const block of blocks) {
      if (performance.now() - readAt > PROGRESS_AGE_MS) {
        progress = await readProgress();
        readAt = performance.now();
      }
      if (block.streamPosition.sequence <= progress.view.ordinal) continue;
      wanted.push(block);
      if (isDecided(block, progress)) continue;
      const { blocks_per_index: blocksPerIndex } = progress;
      await this.indices.ensureRange(block.position.num, blocksPerIndex, isFarBehind(block));
      const indexOf = this.indexNamesOf(block, blocksPerIndex);
      for (const { kind, id, json } of documentsOf(block)) {
        request.put(indexOf(kind), id, block.streamPosition.sequence, json, block.position);
        if (request.bytes < this.bulkBytes) continue;
        yield request;
        request = new BulkRequest();
      }
    }
    if (request.count > 0) yield request;
  }

  private indexNamesOf({ position }: BlockRecords, blocksPerIndex: number): (kind: NewDocument['kind']) => string {
    const ranged = new Map<string, string>(
      RANGED_KINDS.map((kind: RangedKind) => [kind, this.names.ranged(kind, position.num, blocksPerIndex)]),
    );
    return (kind) => ranged.get(kind) ?? this.names.of(kind);
  }
}

/** Whether a block's number is irreversible: its committed block is stored, and no other can replace it. */
function isDecided(
  { position }: BlockRecords,
  { committed, last_irreversible: irreversible }: ProgressDocument,
): boolean {
  return position.num <= Math.min(committed?.num ?? 0, irreversible?.num ?? 0);
}
