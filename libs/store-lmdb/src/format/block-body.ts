import { ByteReader } from '@antelope-history/abi';
import { readVaruint, RecordWriter, type BlockRecords } from '@antelope-history/records';
import type { StoredBlock } from '@antelope-history/store';

/** The value of a block: its flags and root sequences, then the signed_block as the node packed it. */
export type BlockBody = Omit<StoredBlock, 'position'>;

const FROM_EOSIO_2_0 = 1;
const HAS_TRACES = 2;

/** Layout: flags u8; varuint receipts; per receipt varuint n, n × varuint (sequence - firstSequence + 1; 0 = before the block). */
export function encodeBlockBody(records: BlockRecords, firstSequence: number): Buffer {
  const block = records.block as Buffer;
  const writer = new RecordWriter(block.length + 64 + records.rootSequences.length * 8);
  writer.uint8((records.generation === 'eosio-2.0' ? FROM_EOSIO_2_0 : 0) | (records.hasTraces ? HAS_TRACES : 0));
  writer.varuint(records.rootSequences.length);
  for (const sequences of records.rootSequences) {
    writer.varuint(sequences.length);
    for (const sequence of sequences) writer.varuint(Math.max(0, sequence - firstSequence + 1));
  }
  writer.copy(block, 0, block.length);
  return writer.view(0);
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
  return {
    generation: flags & FROM_EOSIO_2_0 ? 'eosio-2.0' : 'eosio-2.1+',
    hasTraces: (flags & HAS_TRACES) !== 0,
    rootSequences,
    block: bytes.subarray(reader.offset),
  };
}
