import { ByteReader } from '@antelope-history/abi';
import { readVaruint, RecordWriter, type BlockRecords } from '@antelope-history/records';
import type { StoredBlock } from '@antelope-history/store';

/** The value of a block: its flags and root sequences, then the signed_block as the node packed it. */
export type BlockBody = Omit<StoredBlock, 'position'>;

const FROM_EOSIO_2_0 = 1;
const HAS_TRACES = 2;
const HAS_ACTION_ROOT = 4;
const ROOT_BYTES = 32;

/**
 * Layout: flags u8; varuint receipts; per receipt varuint n, n × varuint (sequence - firstSequence + 1; 0 = before the block);
 * the signed_block; the action root 32, if any. The root comes last, where a version that does not know it overlooks it.
 */
export function encodeBlockBody(records: BlockRecords, firstSequence: number): Buffer {
  const block = records.block as Buffer;
  const writer = new RecordWriter(block.length + 64 + records.rootSequences.length * 8);
  writer.uint8(flagsOf(records));
  writer.varuint(records.rootSequences.length);
  for (const sequences of records.rootSequences) {
    writer.varuint(sequences.length);
    for (const sequence of sequences) writer.varuint(Math.max(0, sequence - firstSequence + 1));
  }
  writer.copy(block, 0, block.length);
  if (records.actionRoot !== undefined) writer.copy(Buffer.from(records.actionRoot, 'hex'), 0, ROOT_BYTES);
  return writer.view(0);
}

function flagsOf({ generation, hasTraces, actionRoot }: BlockRecords): number {
  return (
    (generation === 'eosio-2.0' ? FROM_EOSIO_2_0 : 0) |
    (hasTraces ? HAS_TRACES : 0) |
    (actionRoot === undefined ? 0 : HAS_ACTION_ROOT)
  );
}

export function decodeBlockBody(bytes: Buffer, firstSequence: number): BlockBody {
  const reader = new ByteReader(bytes);
  const flags = reader.uint8();
  const rootSequences: number[][] = [];
  const receipts = reader.varuint32();
  for (let receipt = 0; receipt < receipts; receipt++) {
    const count = reader.varuint32();
    const sequences: number[] = [];
    for (let index = 0; index < count; index++) sequences.push(firstSequence + readVaruint(reader) - 1);
    rootSequences.push(sequences);
  }
  const end = bytes.length - (flags & HAS_ACTION_ROOT ? ROOT_BYTES : 0);
  return {
    generation: flags & FROM_EOSIO_2_0 ? 'eosio-2.0' : 'eosio-2.1+',
    hasTraces: (flags & HAS_TRACES) !== 0,
    rootSequences,
    block: bytes.subarray(reader.offset, end),
    actionRoot: flags & HAS_ACTION_ROOT ? bytes.toString('hex', end) : undefined,
  };
}
