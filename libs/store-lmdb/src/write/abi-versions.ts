import { type AbiDecoder, createAbiDecoder } from '@antelope-history/abi';
import type { BlockRecords } from '@antelope-history/records';
import { abiHash } from '../format/abi-hash';
import { readBlockIndex } from '../format/chain-facts';
import { abiKey, MAX_BLOCK_NUM, MAX_SEQUENCE, positionInAbiKey } from '../format/keys';
import type { Tables } from '../format/tables';

/** A block that a repair replaces; its actions have sequences in [firstSequence, endSequence). */
export interface ReplacedBlock {
  block: BlockRecords;
  firstSequence: number;
  endSequence: number;
}

/**
 * Whether replacing a block removes a stored ABI of it. One with the sequence 0 can come from a snapshot, whose state other nodes do not
 * send with that block.
 */
export function isReplacedAbi(account: string, sequence: number, { abiChanges }: BlockRecords): boolean {
  return sequence > 0 || abiChanges.some((change) => change.account === account);
}

interface AbiVersion {
  blockNum: number;
  sequence: number;
  hash: string;
  /** The first sequence of an action that it is in force at. */
  start: number;
}

/** Sequences from `start` to below `end` at which a contract's ABI is another one after a repair. */
export interface ChangedRange {
  start: number;
  end: number;
}

/** The ABIs of a contract before and after a repair that is not committed yet. */
export class AbiVersions {
  private readonly before: readonly AbiVersion[];
  private readonly after: readonly AbiVersion[];
  private readonly decoders = new Map<string, AbiDecoder | undefined>();
  /** The ABIs of the replaced blocks, of all contracts, by hash. */
  private readonly repaired = new Map<string, Buffer>();

  constructor(
    private readonly tables: Tables,
    contract: string,
    private readonly replaced: ReadonlyMap<number, ReplacedBlock>,
  ) {
    const stored = this.storedOf(contract);
    this.before = stored;
    this.after = this.repairedOf(contract, stored);
  }

  /** The ABI by which a stored action was, or may have been, decoded. */
  decoderBefore(sequence: number): AbiDecoder | undefined {
    return this.decoderOf(hashAt(this.before, sequence), 'before');
  }

  decoderAfter(sequence: number): AbiDecoder | undefined {
    return this.decoderOf(hashAt(this.after, sequence), 'after');
  }

  changedRanges(): ChangedRange[] {
    const starts = [...new Set([...this.before, ...this.after].map(({ start }) => start))].sort((a, b) => a - b);
    return starts
      .map((start, index) => ({ start, end: starts[index + 1] ?? Infinity }))
      .filter(({ start }) => !this.isSame(hashAt(this.before, start), hashAt(this.after, start)));
  }

  /** Bytes that are damaged keep the hash of the right ones as their key. */
  private isSame(before: string | undefined, after: string | undefined): boolean {
    if (before !== after) return false;
    const repaired = after === undefined ? undefined : this.repaired.get(after);
    return repaired === undefined || this.storedBytes(after as string)?.equals(repaired) === true;
  }

  private storedOf(contract: string): AbiVersion[] {
    const range = { start: abiKey(contract, 0, 0), end: abiKey(contract, MAX_BLOCK_NUM, MAX_SEQUENCE) };
    const stored = [...this.tables.abis.getRange(range)].map(({ key, value }) => ({
      ...positionInAbiKey(key),
      hash: value.toString('latin1'),
    }));
    return stored.map((each) => ({ ...each, start: this.startOf(each) }));
  }

  private repairedOf(contract: string, stored: readonly AbiVersion[]): AbiVersion[] {
    const versions = stored.filter(({ blockNum, sequence }) => {
      const replaced = this.replaced.get(blockNum);
      return !replaced || !isReplacedAbi(contract, sequence, replaced.block);
    });
    for (const [blockNum, { block }] of this.replaced) {
      for (const { account, sequence, abi } of block.abiChanges) {
        const hash = abiHash(abi).toString('latin1');
        this.repaired.set(hash, abi);
        if (account !== contract) continue;
        versions.push({ blockNum, sequence, hash, start: this.startOf({ blockNum, sequence }) });
      }
    }
    return versions.sort((left, right) => left.blockNum - right.blockNum || left.sequence - right.sequence);
  }

  /** An ABI is in force after the action that set it; with sequence 0 it is in force from the beginning of the block. */
  private startOf({ blockNum, sequence }: Pick<AbiVersion, 'blockNum' | 'sequence'>): number {
    const block = this.replaced.get(blockNum) ?? readBlockIndex(this.tables, blockNum);
    return sequence === 0 ? (block?.firstSequence ?? 0) : Math.min(sequence + 1, block?.endSequence ?? Infinity);
  }

  private decoderOf(hash: string | undefined, when: 'before' | 'after'): AbiDecoder | undefined {
    if (hash === undefined) return undefined;
    const name = `${when} ${hash}`;
    if (!this.decoders.has(name)) {
      const abi = (when === 'after' ? this.repaired.get(hash) : undefined) ?? this.storedBytes(hash);
      this.decoders.set(name, abi && createAbiDecoder(abi));
    }
    return this.decoders.get(name);
  }

  private storedBytes(hash: string): Buffer | undefined {
    return this.tables.abiBodies.get(Buffer.from(hash, 'latin1'));
  }
}

function hashAt(versions: readonly AbiVersion[], sequence: number): string | undefined {
  return versions.findLast(({ start }) => start <= sequence)?.hash;
}
