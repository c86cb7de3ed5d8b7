import type { BlockPosition } from '@antelope-history/schemas';

/** The newest blocks of the committed branch; their numbers have no gap. */
export class Branch {
  private readonly blocks: BlockPosition[];

  constructor(blocks: readonly BlockPosition[]) {
    this.blocks = [...blocks];
  }

  get first(): BlockPosition | undefined {
    return this.blocks[0];
  }

  get last(): BlockPosition | undefined {
    return this.blocks.at(-1);
  }

  /** The block with a number; undefined when it is not listed. */
  at(num: number): BlockPosition | undefined {
    return this.blocks[num - (this.first?.num ?? 0)];
  }

  append(block: BlockPosition): void {
    this.blocks.push(block);
  }

  /** Removes every block from a number on. */
  cutFrom(num: number): void {
    this.blocks.length = Math.max(0, Math.min(this.blocks.length, num - (this.first?.num ?? 0)));
  }

  /** The blocks from a number on. */
  from(num: number): BlockPosition[] {
    return this.blocks.filter((block) => block.num >= num);
  }
}
