import { ByteReader } from '@antelope-history/abi';
import { HistoryError } from '@antelope-history/schemas';
import type { FieldReader, LayoutCompiler, Read } from './layout-compiler';
import type { ShipPosition } from './requests';

/** What `get_status_result` says. Block numbers; ends are exclusive. */
export interface ShipStatus {
  head: ShipPosition;
  lastIrreversible: ShipPosition;
  traceBegin: number;
  traceEnd: number;
  chainStateBegin: number;
  chainStateEnd: number;
  /** 64 hex digits; EOSIO 2.0 does not send it. */
  chainId: string | undefined;
}

/** A `get_blocks_result` taken apart; `block`, `traces` and `deltas` are views of the message, each may be absent. */
export interface BlocksResult {
  head: ShipPosition;
  lastIrreversible: ShipPosition;
  /** Absent when the node has nothing under that number (EOSIO 2.0 at each new head; pruned logs). */
  thisBlock: ShipPosition | undefined;
  prevBlock: ShipPosition | undefined;
  block: Buffer | undefined;
  traces: Buffer | undefined;
  deltas: Buffer | undefined;
}

export type ShipResult = { kind: 'status'; status: ShipStatus } | { kind: 'blocks'; blocks: BlocksResult };

const NO_POSITION: ShipPosition = { num: 0, id: '0'.repeat(64) };

/** Compiles the reader of the socket's binary frames (variant `result`) from the node's ABI. */
export function compileResultReader(layouts: LayoutCompiler): (message: Buffer) => ShipResult {
  const types = layouts.variantTypes('result');
  if (!types) throw new HistoryError('SHIP_UNSUPPORTED', "The node's state history ABI has no variant result");
  const readers = types.map((type) => compileAlternativeOrRefuse(layouts, type));
  return (message) => {
    const reader = new ByteReader(message);
    const tag = reader.varuint32();
    const read = readers[tag];
    if (!read) throw new HistoryError('SHIP_MESSAGE_CORRUPT', `The node sent a result of unknown kind ${tag}`);
    const result = read(reader);
    if (reader.remaining() > 0) {
      throw new HistoryError('SHIP_MESSAGE_CORRUPT', `A result has ${reader.remaining()} bytes too many`);
    }
    return result;
  };
}

/** A kind of result that we cannot read matters only if the node sends it. */
function compileAlternativeOrRefuse(layouts: LayoutCompiler, type: string): (reader: ByteReader) => ShipResult {
  try {
    return compileAlternative(layouts, type);
  } catch (error) {
    return () => {
      throw error;
    };
  }
}

function compileAlternative(layouts: LayoutCompiler, type: string): (reader: ByteReader) => ShipResult {
  if (type.startsWith('get_status_result')) {
    const read = compileStatus(layouts, type);
    return (reader) => {
      const status = emptyStatus();
      read(reader, status);
      return { kind: 'status', status };
    };
  }
  const read = compileBlocksResult(layouts, type);
  return (reader) => {
    const blocks = emptyBlocksResult();
    read(reader, blocks);
    return { kind: 'blocks', blocks };
  };
}

function compileStatus(layouts: LayoutCompiler, type: string): Read<ShipStatus> {
  return layouts.struct<ShipStatus>(
    type,
    {
      head: { type: 'block_position', read: (reader, status) => void (status.head = readPosition(reader)) },
      last_irreversible: {
        type: 'block_position',
        read: (reader, status) => void (status.lastIrreversible = readPosition(reader)),
      },
      trace_begin_block: { type: 'uint32', read: (reader, status) => void (status.traceBegin = reader.uint32()) },
      trace_end_block: { type: 'uint32', read: (reader, status) => void (status.traceEnd = reader.uint32()) },
      chain_state_begin_block: {
        type: 'uint32',
        read: (reader, status) => void (status.chainStateBegin = reader.uint32()),
      },
      chain_state_end_block: {
        type: 'uint32',
        read: (reader, status) => void (status.chainStateEnd = reader.uint32()),
      },
      chain_id: {
        type: 'checksum256$',
        read: (reader, status) => {
          if (reader.remaining() >= 32) status.chainId = reader.slice(32).toString('hex');
        },
      },
    },
    ['chain_id'],
  );
}

function compileBlocksResult(layouts: LayoutCompiler, type: string): Read<BlocksResult> {
  const position = (assign: (result: BlocksResult, at: ShipPosition) => void): FieldReader<BlocksResult> => ({
    type: 'block_position',
    read: (reader, result) => assign(result, readPosition(reader)),
  });
  const optionalPosition = (assign: (result: BlocksResult, at: ShipPosition) => void): FieldReader<BlocksResult> => ({
    type: 'block_position?',
    read: (reader, result) => {
      if (reader.uint8() !== 0) assign(result, readPosition(reader));
    },
  });
  const payload = (assign: (result: BlocksResult, bytes: Buffer) => void): FieldReader<BlocksResult> => ({
    type: 'bytes?',
    read: (reader, result) => {
      if (reader.uint8() !== 0) assign(result, reader.lengthPrefixed());
    },
  });
  return layouts.struct<BlocksResult>(type, {
    head: position((result, at) => void (result.head = at)),
    last_irreversible: position((result, at) => void (result.lastIrreversible = at)),
    this_block: optionalPosition((result, at) => void (result.thisBlock = at)),
    prev_block: optionalPosition((result, at) => void (result.prevBlock = at)),
    block: payload((result, bytes) => void (result.block = bytes)),
    traces: payload((result, bytes) => void (result.traces = bytes)),
    deltas: payload((result, bytes) => void (result.deltas = bytes)),
  });
}

function readPosition(reader: ByteReader): ShipPosition {
  return { num: reader.uint32(), id: reader.slice(32).toString('hex') };
}

function emptyStatus(): ShipStatus {
  return {
    head: NO_POSITION,
    lastIrreversible: NO_POSITION,
    traceBegin: 0,
    traceEnd: 0,
    chainStateBegin: 0,
    chainStateEnd: 0,
    chainId: undefined,
  };
}

function emptyBlocksResult(): BlocksResult {
  return {
    head: NO_POSITION,
    lastIrreversible: NO_POSITION,
    thisBlock: undefined,
    prevBlock: undefined,
    block: undefined,
    traces: undefined,
    deltas: undefined,
  };
}
