import { type AbiDecoder, createAbiDecoder } from '@antelope-history/abi';
import { type AbiChange, type ActionEntry, type BlockRecords, readActionData } from '@antelope-history/records';
import type { DataFields } from './data-field';
import { type DataValue, valuesOf } from './data-value';

const NONE: readonly DataValue[] = [];

/** The values of the indexed data fields of one block's actions, decoded with the ABI that was in force at each action. */
export class BlockData {
  /** By contract, ascending. */
  private readonly changes = new Map<string, { sequence: number; decoder: AbiDecoder | undefined }[]>();

  /** `decoderBefore`: the decoder of the ABI that a contract has before the block; undefined where it has no valid one. */
  constructor(
    private readonly fields: DataFields,
    block: Pick<BlockRecords, 'abiChanges'>,
    private readonly decoderBefore: (contract: string) => AbiDecoder | undefined,
  ) {
    for (const { account, sequence, abi } of inOrder(block.abiChanges)) {
      if (!fields.contracts.has(account)) continue;
      const ofContract = this.changes.get(account) ?? [];
      this.changes.set(account, ofContract);
      ofContract.push({ sequence, decoder: createAbiDecoder(abi) });
    }
  }

  /** Whether an action may have values of indexed fields. */
  isIndexed({ account, name }: Pick<ActionEntry, 'account' | 'name'>): boolean {
    return this.fields.of(account, name).length > 0;
  }

  /** The values of an action's indexed fields; those that do not decode, or are no scalars, are left out. */
  of({
    account,
    name,
    sequence,
    bytes,
  }: Pick<ActionEntry, 'account' | 'name' | 'sequence' | 'bytes'>): readonly DataValue[] {
    const fields = this.fields.of(account, name);
    if (fields.length === 0) return NONE;
    return valuesOf(fields, this.decoderAt(account, sequence)?.decodeAction(name, readActionData(bytes)));
  }

  /** The decoder of a contract's ABI after the block; undefined when the block does not change it. */
  changedTo(contract: string): { decoder: AbiDecoder | undefined } | undefined {
    return this.changes.get(contract)?.at(-1);
  }

  /** An ABI is in force after the action that set it; with sequence 0 it is in force from the beginning of the block. */
  private decoderAt(contract: string, sequence: number): AbiDecoder | undefined {
    const last = this.changes.get(contract)?.findLast((change) => change.sequence === 0 || change.sequence < sequence);
    return last ? last.decoder : this.decoderBefore(contract);
  }
}

function inOrder(changes: readonly AbiChange[]): AbiChange[] {
  return [...changes].sort((left, right) => left.sequence - right.sequence);
}
