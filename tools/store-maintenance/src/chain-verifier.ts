import { type BlockFault, BlockProver, packAction } from '@antelope-history/block-proof';
import { hasErrorCode } from '@antelope-history/schemas';
import { readBlockHeader } from '@antelope-history/ship';
import { type BlockTracesLookup, isRemovedBlock, type StoredBlock } from '@antelope-history/store';
import type { BlockRead } from './read-blocks';
import { SequenceCheck } from './sequence-check';

/** Faults that this program finds besides those of `BlockProver`. */
type FaultOfStore =
  'link' | 'global_sequence' | 'recv_sequence' | 'missing' | 'corrupt' | 'abi' | 'permission' | 'lists';

/** A fault of one stored block. */
export interface StoredFault {
  blockNum: number;
  code: BlockFault['code'] | FaultOfStore;
  /** For people: what was found and what was expected. */
  detail: string;
  /** The account whose permissions are found wrong. */
  account?: string;
}

/** Faults that say of two blocks that they do not continue each other, and not which of them is wrong. */
const FAULTS_BETWEEN: ReadonlySet<StoredFault['code']> = new Set(['link', 'global_sequence', 'recv_sequence']);

/** Faults of what is stored besides blocks. */
const FAULTS_BESIDE: ReadonlySet<StoredFault['code']> = new Set(['abi', 'permission', 'lists']);

/** Whether a fault says that the contents of its block are not those that the chain had. */
export function isOfContents({ code }: Pick<StoredFault, 'code'>): boolean {
  return !FAULTS_BETWEEN.has(code) && !FAULTS_BESIDE.has(code);
}

/** A block after its verification. */
export interface VerifiedBlock {
  faults: StoredFault[];
  /** Whether its actions were compared with a root. */
  areActionsProved: boolean;
  /** Whether the store has removed it since the verification began, because it keeps only the newest blocks. */
  isRemoved: boolean;
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
  /** The block before the next one; undefined where none could be read. */
  previous: StoredBlock['position'] | undefined;
  readonly sequences = new SequenceCheck();
  private readonly prover = new BlockProver();

  /** Verifies the next block. The first block of a history may be missing: a snapshot has none. */
  verify(blockNum: number, read: BlockRead): VerifiedBlock {
    if ('found' in read && !read.found.block && isRemovedBlock(blockNum, read.found.status)) return this.skipRemoved();
    const provedBefore = this.counts.provedBlocks;
    const faults = this.faultsOf(blockNum, read).map((fault) => ({ blockNum, ...fault }));
    this.counts.blocks++;
    this.previous = 'found' in read ? read.found.block?.position : undefined;
    return { faults, areActionsProved: this.counts.provedBlocks > provedBefore, isRemoved: false };
  }

  private skipRemoved(): VerifiedBlock {
    this.previous = undefined;
    this.sequences.forget();
    return { faults: [], areActionsProved: false, isRemoved: true };
  }

  private faultsOf(blockNum: number, read: BlockRead): Omit<StoredFault, 'blockNum'>[] {
    if ('unreadable' in read) {
      this.sequences.forget();
      return [{ code: 'corrupt', detail: read.unreadable }];
    }
    return this.faultsOfStored(blockNum, read.found);
  }

  private faultsOfStored(
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
