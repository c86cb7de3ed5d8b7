import { writeName } from '@antelope-history/abi';
import {
  type ActionReceipt,
  type ActionRecord,
  type BlockRecords,
  type PackedAction,
  readPackedAction,
  RecordWriter,
} from '@antelope-history/records';
import type { ProvableBlock } from './prove-block';

/** A block of records in the form that `BlockProver` takes; undefined if the node sent no block. */
export function provableRecords(records: BlockRecords): ProvableBlock | undefined {
  const { position, block, hasTraces, actionRoot, transactions } = records;
  if (!block) return undefined;
  return {
    position,
    block,
    hasTraces,
    actionRoot,
    transactions: transactions.map(({ id, receiptIndex, firstSequence, actions }) => ({
      id: id.toString('hex'),
      receiptIndex,
      actions: actions.map(({ bytes }) => readPackedAction(bytes, firstSequence)),
    })),
  };
}

/** Most packed fields of an action fit; the buffer grows for others. */
const FIELDS_BYTES = 256;

/** A decoded action in the form that `BlockProver` takes. */
export function packAction({ account, name, authorization, data, traces }: ActionRecord): PackedAction {
  const fields = new PackedFields();
  return {
    base: fields.pack(() => {
      fields.name(account);
      fields.name(name);
      fields.varuint(authorization.length);
      for (const { actor, permission } of authorization) {
        fields.name(actor);
        fields.name(permission);
      }
    }),
    data,
    traces: traces.map(({ receiver, receipt, returnValue }) => ({
      receiver: fields.pack(() => fields.name(receiver)),
      globalSequence: receipt.globalSequence,
      recvSequence: fields.pack(() => fields.bigint64(receipt.recvSequence)),
      actDigest: Buffer.from(receipt.actDigest, 'hex'),
      isDigestComputed: false,
      counters: fields.pack(() => fields.counters(receipt)),
      returnValue,
    })),
  };
}

/** Packs decoded fields as nodeos does (fc::raw::pack). */
class PackedFields extends RecordWriter {
  private readonly eight = Buffer.alloc(8);

  constructor() {
    super(FIELDS_BYTES);
  }

  /** The bytes that `write` writes. */
  pack(write: () => void): Buffer {
    const start = this.offset;
    write();
    return this.view(start);
  }

  name(name: string): void {
    writeName(name, this.eight, 0);
    this.copy(this.eight, 0, 8);
  }

  bigint64(value: bigint): void {
    this.eight.writeBigUInt64LE(value);
    this.copy(this.eight, 0, 8);
  }

  counters({ authSequence, codeSequence, abiSequence }: ActionReceipt): void {
    this.varuint(authSequence.length);
    for (const { account, sequence } of authSequence) {
      this.name(account);
      this.bigint64(sequence);
    }
    this.varuint(codeSequence);
    this.varuint(abiSequence);
  }
}
