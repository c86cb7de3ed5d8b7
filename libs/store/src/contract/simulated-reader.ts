import type { BlockPosition, BlockRecords } from '@antelope-history/records';
import { ReaderSessions } from './reader-sessions';
import { SyntheticChain, type BlockPlan } from './synthetic-chain';

/** A chain's node and the reader that asks it for blocks: what is sent, in which order, as which messages. */
export class SimulatedReader {
  /** The node's present chain. */
  chain: BlockRecords[] = [];
  private readonly made = new SyntheticChain();
  private readonly sessions = new ReaderSessions();
  private irreversible: BlockPosition | undefined;
  /** What the reader has, as it tells a node; and the place in the chain of what the node sends next. */
  private positions: readonly BlockPosition[] = [];
  private nextAt = 0;

  grow(plans: readonly BlockPlan[]): void {
    this.chain = [...this.chain, ...this.made.blocks(this.chain.at(-1), plans, this.irreversible)];
  }

  /** Up to `depth` blocks, none of them irreversible nor the first, give way to others. */
  fork(depth: number, plans: readonly BlockPlan[]): void {
    const irreversible = this.chain.findIndex(({ position }) => position.id === this.irreversible?.id);
    this.chain = this.chain.slice(0, Math.max(irreversible + 1, 1, this.chain.length - depth));
    this.nextAt = Math.min(this.nextAt, this.chain.length);
    this.grow(plans);
  }

  /** The block so far below the head, in blocks made from now on. */
  makeIrreversible(depth: number): void {
    const position = this.chain.at(-1 - depth)?.position;
    if (position && position.num > (this.irreversible?.num ?? 0)) this.irreversible = position;
  }

  /** The reader asks again, from where it was: the node goes on after the last block that they both have. */
  reconnect(): void {
    const common = this.positions.filter(({ id }) => this.chain.some(({ position }) => position.id === id));
    this.nextAt = this.chain.findIndex(({ position }) => position.id === common.at(-1)?.id) + 1;
  }

  /** The reader asks again, from where the store is. */
  restart(positions: readonly BlockPosition[]): void {
    this.positions = positions;
    this.sessions.begin();
    this.reconnect();
  }

  /** The next messages. */
  read(count: number): BlockRecords[] {
    const blocks = this.chain.slice(this.nextAt, this.nextAt + count);
    for (const { position } of blocks) {
      this.positions = [...this.positions.filter(({ num }) => num < position.num), position];
    }
    this.nextAt += blocks.length;
    return this.sessions.read(blocks);
  }
}
