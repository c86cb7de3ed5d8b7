import type { AbiChange, BlockRecords } from '@antelope-history/records';

/** The ABIs of all contracts as the chain goes on, forks undone: which one is in force at an action. */
export class AbiHistory {
  private changes: (AbiChange & { blockNum: number })[] = [];

  /** Takes the next block of the stream; one that is not above the last takes the place of all from its number on. */
  add({ position, abiChanges }: BlockRecords): void {
    this.changes = this.changes.filter(({ blockNum }) => blockNum < position.num);
    for (const change of abiChanges) this.changes.push({ ...change, blockNum: position.num });
  }

  /** Of the last change of a contract before the action of that sequence; empty when it has none. */
  inForce(account: string, sequence: number): Buffer {
    return (
      this.changes.findLast((each) => each.account === account && each.sequence < sequence)?.abi ?? Buffer.alloc(0)
    );
  }
}
