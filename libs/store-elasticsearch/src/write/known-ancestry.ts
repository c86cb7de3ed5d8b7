import type { BlockRecords } from '@antelope-history/records';
import type { BlockPosition } from '@antelope-history/schemas';
import type { DataAbi, ProgressDocument } from '../indices/documents';
import { isOnBranch } from '../indices/progress';

/** More blocks than a process holds at once before they are committed. */
const MAX_BLOCKS = 20_000;

/** The blocks that this process has seen last, as far as they descend, one after another, from a committed block, the root. */
export class KnownAncestry {
  private root: BlockPosition | undefined;
  /** The ids of the blocks after the root, by their numbers. */
  private readonly ids = new Map<number, string>();
  /** The ABIs that these blocks set, ascending. */
  private abis: DataAbi[] = [];

  /** Adds a block; returns the root, unless the block is not known to descend from a committed block. */
  add({ position, previous }: BlockRecords, progress: ProgressDocument): BlockPosition | undefined {
    this.moveRoot(progress);
    const { num, id } = position;
    if (!previous || !this.has(previous)) {
      this.begin(previous && isOnBranch(previous, progress) ? previous : undefined);
    }
    if (!this.root || this.ids.get(num) === id) return this.root;
    // The block replaces the one of its number and all that follow it.
    for (let undone = num; this.ids.delete(undone); undone++);
    this.abis = this.abis.filter((abi) => abi.block_num < num);
    this.ids.set(num, id);
    if (this.ids.size > MAX_BLOCKS) this.begin(undefined);
    return this.root;
  }

  /** Adds the ABIs that a block sets, of which `add` has returned the root. */
  addAbis({ num }: BlockPosition, abis: Readonly<Record<string, string>>): void {
    if (this.abis.some((abi) => abi.block_num === num)) return;
    this.abis.push(...Object.entries(abis).map(([contract, hash]) => ({ contract, block_num: num, hash })));
  }

  /** The hash of the last ABI that the blocks between the root and a number set for a contract. */
  abiBelow(contract: string, blockNum: number): string | undefined {
    return this.abis.findLast((abi) => abi.contract === contract && abi.block_num < blockNum)?.hash;
  }

  private has({ num, id }: BlockPosition): boolean {
    return this.root?.num === num ? this.root.id === id : this.ids.get(num) === id;
  }

  /** Makes the committed block the root when it is one of the blocks. Ends when a fork has replaced the root. */
  private moveRoot(progress: ProgressDocument): void {
    const { committed, clean_up_to: cleanUpTo } = progress;
    if (committed && this.root && this.ids.get(committed.num) === committed.id) {
      for (let { num } = committed; num > this.root.num; num--) this.ids.delete(num);
      this.abis = this.abis.filter((abi) => abi.block_num > committed.num);
      this.root = committed;
      return;
    }
    // A root up to `clean_up_to` is kept: no block that descends from an orphan there joins the branch, however its data are decoded.
    if (this.root && this.root.num > cleanUpTo && !isOnBranch(this.root, progress)) this.begin(undefined);
  }

  private begin(root: BlockPosition | undefined): void {
    this.root = root;
    this.ids.clear();
    this.abis = [];
  }
}
