import { type BlockFault, BlockProver, packAction } from '@antelope-history/block-proof';
import { hasErrorCode } from '@antelope-history/schemas';
import { readBlockHeader } from '@antelope-history/ship';
import type { BlockTracesLookup, StoredBlock } from '@antelope-history/store';
import { SequenceCheck } from './sequence-check';

/** A fault of one stored block. `link`, `gap`, `missing`, `corrupt` are of this program, the others of `BlockProver`. */
export interface StoredFault {
  blockNum: number;
  code: BlockFault['code'] | 'link' | 'global_sequence' | 'recv_sequence' | 'missing' | 'corrupt';
  detail: string;
}

/** What was verified so far. */
export interface VerifiedCounts {
  blocks: number;
  /** Traces: an action with three receivers counts three times. */
  actions: number;
  /** Blocks whose actions were compared with a root; the others have none, see `BlockProof.areActionsProved`. */
  provedBlocks: number;
  faults: number;
}

/**
 * Verifies consecutive blocks of a store: each block by itself, its link to the block before it, and the sequences that
 * continue from block to block.
 */
export class ChainVerifier {
  readonly counts: VerifiedCounts = { blocks: 0, actions: 0, provedBlocks: 0, faults: 0 };
  private previous: StoredBlock['position'] | undefined;
  private readonly prover = new BlockProver();
  private readonly sequences = new SequenceCheck();

  /** The faults of the next block. The first block of a history may be missing: a snapshot has none. */
  verify(blockNum: number, found: BlockTracesLookup): StoredFault[] {
    const faults = this.faultsOf(blockNum, found).map((fault) => ({ blockNum, ...fault }));
    this.counts.blocks++;
    this.counts.faults += faults.length;
    this.previous = found.block?.position;
    return faults;
  }

  private faultsOf(
    blockNum: number,
    { status, block, transactions }: BlockTracesLookup,
  ): Omit<StoredFault, 'blockNum'>[] {
    if (!block) {
      return blockNum === status.firstBlockNum ? [] : [{ code: 'missing', detail: 'the store has no such block' }];
    }
    try {
      const provable = transactions.map(({ record, actions }) => ({
        ...record,
        id: record.id.toString('hex'),
        actions: actions.map(packAction),
      }));
      const { faults, areActionsProved } = this.prover.prove({ ...block, transactions: provable });
      if (areActionsProved) this.counts.provedBlocks++;
      const actions = transactions.flatMap((each) => each.actions);
      const traces = actions.flatMap((action) => action.traces);
      this.counts.actions += traces.length;
      return [...this.linkFaults(block), ...faults, ...this.sequences.check(traces, areActionsProved)];
    } catch (error) {
      if (!hasErrorCode(error, 'DECODE_FAILED')) throw error;
      return [{ code: 'corrupt', detail: error.message }];
    }
  }

  private linkFaults({ block }: StoredBlock): Omit<StoredFault, 'blockNum'>[] {
    const { previous } = readBlockHeader(block);
    if (!this.previous || previous === this.previous.id) return [];
    return [{ code: 'link', detail: `it follows ${previous}, but ${this.previous.id} is stored` }];
  }
}
