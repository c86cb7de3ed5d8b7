import { setImmediate as nextTurn } from 'node:timers/promises';
import { counter, type Config, type Registry } from '@antelope-history/app-runtime';
import { type BlockProof, BlockProver, type ProvableBlock, provableRecords } from '@antelope-history/block-proof';
import type { BlockRecords } from '@antelope-history/records';
import { type BlockPosition, HistoryError } from '@antelope-history/schemas';
import { readBlockHeader } from '@antelope-history/ship';

/** Which blocks are proved before they are passed on, as `indexer.verify_blocks` says. */
export type VerifiedBlocks = Config['indexer']['verifyBlocks'];

const VERIFIED_BLOCKS = 'history_verified_blocks_total';
/** At most this many faults stand in an error's message. */
const MAX_NAMED_FAULTS = 3;
/** The most bytes that are unpacked of a block, about 20 ms of work; the compressed transactions of a usual block have less than 100 KB. */
const MAX_UNPACKED_BYTES = 8 * 1024 * 1024;

/** The longest time for which the verifier keeps the event loop from sockets and timers. */
const MAX_TURN_MS = 20;

/**
 * Compares the contents of blocks with the ids and roots in their headers, so that a message that was altered on its way,
 * or comes from a node with damaged logs, is refused.
 */
export class BlockVerifier {
  private readonly verified;
  private readonly prover = new BlockProver(MAX_UNPACKED_BYTES);

  constructor(
    private readonly blocks: VerifiedBlocks,
    registry: Registry,
  ) {
    this.verified = counter(registry, {
      name: VERIFIED_BLOCKS,
      help: 'Blocks compared with their roots: all of it, or without actions (no traces, or Savanna without finality data)',
      labelNames: ['actions'],
    });
    for (const actions of ['proved', 'unproved']) this.verified.inc({ actions }, 0);
  }

  /** Rejects with `BLOCK_ALTERED` if the block is to be verified and differs from its roots. */
  async verify(records: BlockRecords): Promise<void> {
    if (!this.isDue(records)) return;
    const block = provableRecords(records);
    if (!block) return;
    requireLink(records.previous, block);
    const { faults, areActionsProved } = await this.prove(block);
    if (faults.length > 0) {
      const named = faults.slice(0, MAX_NAMED_FAULTS).map(({ code, detail }) => `${code}: ${detail}`);
      throw new HistoryError('BLOCK_ALTERED', `the contents differ from the roots of the block (${named.join('; ')})`);
    }
    this.verified.inc({ actions: areActionsProved ? 'proved' : 'unproved' });
  }

  private async prove(block: ProvableBlock): Promise<BlockProof> {
    const steps = this.prover.proveInSteps(block);
    let turnBegan = performance.now();
    let step = steps.next();
    while (!step.done) {
      if (performance.now() - turnBegan > MAX_TURN_MS) {
        await nextTurn();
        turnBegan = performance.now();
      }
      step = steps.next();
    }
    return step.value;
  }

  private isDue({ position, lastIrreversible }: BlockRecords): boolean {
    return this.blocks === 'all' || (this.blocks === 'new' && position.num > lastIrreversible.num);
  }
}

/** The reader and the store compare the previous block that the node names, which may be another than that of the header. */
function requireLink(named: BlockPosition | undefined, { block }: ProvableBlock): void {
  const { previous } = readBlockHeader(block);
  if (!named || named.id === previous) return;
  throw new HistoryError(
    'BLOCK_ALTERED',
    `the node says that the block follows ${named.id}, its header says ${previous}`,
  );
}
