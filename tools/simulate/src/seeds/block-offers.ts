import type { CommittedState, GeneratedBlock, GeneratedChain } from '@antelope-history/chain-generator';

/** When the nodes had which block: the states that a service may show follow from it. Times are of one monotonic clock. */
export class BlockOffers {
  private readonly offeredAt = new Map<GeneratedBlock, number>();
  private readonly heldUntil = new Map<GeneratedBlock, number>();
  private readonly holders = new Map<GeneratedBlock, number>();
  private readonly childrenOf = new Map<CommittedState, GeneratedBlock[]>();
  private readonly offered: GeneratedBlock[] = [];
  private highestNum = 0;
  private highestIrreversible = 0;

  constructor(private readonly chain: GeneratedChain) {
    this.childrenOf.set(undefined, [chain.first]);
    for (const block of chain.blocks) {
      if (block === chain.first || !block.parent) continue;
      const siblings = this.childrenOf.get(block.parent);
      if (siblings) siblings.push(block);
      else this.childrenOf.set(block.parent, [block]);
    }
  }

  /** A node's branch now has a block. */
  holds(block: GeneratedBlock): void {
    this.holders.set(block, (this.holders.get(block) ?? 0) + 1);
    if (this.offeredAt.has(block)) return;
    this.offeredAt.set(block, performance.now());
    this.offered.push(block);
    this.highestNum = Math.max(this.highestNum, block.num);
    this.highestIrreversible = Math.max(this.highestIrreversible, block.lastIrreversible);
  }

  /** A block is no longer on a node's branch. */
  leaves(block: GeneratedBlock): void {
    this.holders.set(block, (this.holders.get(block) ?? 0) - 1);
    this.heldUntil.set(block, performance.now());
  }

  /** In the order in which nodes had them first. */
  get blocks(): readonly GeneratedBlock[] {
    return this.offered;
  }

  get headNum(): number {
    return this.highestNum;
  }

  get irreversibleNum(): number {
    return this.highestIrreversible;
  }

  /** The offered blocks that follow a state. */
  next(state: CommittedState): GeneratedBlock[] {
    return (this.childrenOf.get(state) ?? []).filter((block) => this.offeredAt.has(block));
  }

  /** Whether a node still had `block` when another one was offered, so that a reader may have gone from that one to `block`. */
  isHeldAfter(block: GeneratedBlock, other: GeneratedBlock): boolean {
    if ((this.holders.get(block) ?? 0) > 0) return true;
    return (this.heldUntil.get(block) ?? -1) >= (this.offeredAt.get(other) ?? Infinity);
  }

  get first(): GeneratedBlock {
    return this.chain.first;
  }
}
