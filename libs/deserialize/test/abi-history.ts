import type { AbiChange, BlockRecords } from '@antelope-history/records';

/** The ABIs of all contracts along the chain, with forks undone. */
export class AbiHistory {
  private changes: (AbiChange & { blockNum: number })[] = [];

  /** Adds the next block of the stream; a block that is not above the last replaces all from its number on. */
  add({ position, abiChanges }: BlockRecords): void {
    this.changes = this.changes.filter(({ blockNum }) => blockNum < position.num);
    for (const change of abiChanges) this.changes.push({ ...change, blockNum: position.num });
  }

  /** The contract's ABI in force at the action with that global sequence; empty when it has none. */
  inForce(account: string, sequence: number): Buffer {
    return (
      this.changes.findLast((each) => each.account === account && each.sequence < sequence)?.abi ?? Buffer.alloc(0)
    );
  }
}
