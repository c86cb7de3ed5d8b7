import type { BlockRecords } from '@antelope-history/records';
import type { BlockPosition } from '@antelope-history/schemas';
import { ReaderSessions } from './reader-sessions';
import { type BlockPlan, SyntheticChain } from './synthetic-chain';

/** A chain's node and a reader of it: they determine which blocks are sent, in which order and as which messages. */
export class SimulatedReader {
  /** The node's current chain. */
  chain: BlockRecords[] = [];
  private readonly made = new SyntheticChain();
  private readonly sessions = new ReaderSessions();
  private irreversible: BlockPosition | undefined;
  /** The positions that the reader reports to a node, and the index in the chain of the next block sent. */
  private positions: readonly BlockPosition[] = [];
  private nextAt = 0;

  grow(plans: readonly BlockPlan[]): void {
    this.chain = [...this.chain, ...this.made.blocks(this.chain.at(-1), plans, this.irreversible)];
  }

  /** Replaces up to `depth` blocks, except irreversible ones and the first. */
  fork(depth: number, plans: readonly BlockPlan[]): void {
    const irreversible = this.chain.findIndex(({ position }) => position.id === this.irreversible?.id);
    this.chain = this.chain.slice(0, Math.max(irreversible + 1, 1, this.chain.length - depth));
    this.nextAt = Math.min(this.nextAt, this.chain.length);
    this.grow(plans);
  }

  /** Sets the last irreversible block, `depth` below the head, for later blocks. */
  makeIrreversible(depth: number): void {
    const position = this.chain.at(-1 - depth)?.position;
    if (position && position.num > (this.irreversible?.num ?? 0)) this.irreversible = position;
  }

  /** The reader reconnects from its own positions: the node continues after the last common block. */
  reconnect(): void {
    const common = this.positions.filter(({ id }) => this.chain.some(({ position }) => position.id === id));
    this.nextAt = this.chain.findIndex(({ position }) => position.id === common.at(-1)?.id) + 1;
  }

  /** The reader restarts from the store's positions. */
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
