import { ByteReader } from '@antelope-history/abi';
import { type BlockPosition, HistoryError } from '@antelope-history/schemas';
import { compileBlockVariant } from './block-variant';
import { unsupported } from './layout-bounds';
import { type FieldReader, type LayoutCompiler, type Read, readFlag } from './layout-compiler';

/** The contents of `get_status_result`. The ranges are block numbers with exclusive ends. */
export interface ShipStatus {
  head: BlockPosition;
  lastIrreversible: BlockPosition;
  traceBegin: number;
  traceEnd: number;
  chainStateBegin: number;
  chainStateEnd: number;
  /** 64 hex digits; undefined for EOSIO 2.0, which does not send it. */
  chainId: string | undefined;
}

/** The parts of a `get_blocks_result`. `block`, `traces` and `deltas` are views of the message; each can be absent. */
export interface BlocksResult {
  head: BlockPosition;
  lastIrreversible: BlockPosition;
  /** Absent when the node has no data for the block number (EOSIO 2.0 at each new head; pruned logs). */
  thisBlock: BlockPosition | undefined;
  prevBlock: BlockPosition | undefined;
  block: Buffer | undefined;
  traces: Buffer | undefined;
  deltas: Buffer | undefined;
  /** Root of the receipts of the block's actions according to the finality data, in hex; only Savanna blocks need it. */
  actionRoot: string | undefined;
}

export type ShipResult = { kind: 'status'; status: ShipStatus } | { kind: 'blocks'; blocks: BlocksResult };

/**
 * Throws `SHIP_DATA_MISSING` when the node left out a part of a block. With all logs it sends a block, traces (of `onblock`, if of nothing
 * else) and deltas (of resource usage) for each.
 */
export function assertWhole({ block, traces, deltas }: BlocksResult, num: number): void {
  if (block && traces && deltas) return;
  const missing = [!block && 'block', !traces && 'traces', !deltas && 'deltas'].filter((part) => part !== false);
  throw new HistoryError('SHIP_DATA_MISSING', `the node sends block ${num} without ${missing.join(' and ')}`);
}

/** In the finality data: after two version numbers and the generation of the finalizer policy, 4 bytes each. */
const ACTION_ROOT_AT = 12;
const ROOT_BYTES = 32;

const NO_POSITION: BlockPosition = { num: 0, id: '0'.repeat(64) };

/** Compiles the reader of the socket's binary frames (variant `result`) from the node's ABI. */
export function compileResultReader(layouts: LayoutCompiler): (message: Buffer) => ShipResult {
  layouts.expectExact('block_position', ['block_num: uint32', 'block_id: checksum256']);
  const read = layouts.variant<{ result: ShipResult | undefined }>('result', (type) =>
    compileAlternative(layouts, type),
  );
  return (message) => {
    const reader = new ByteReader(message);
    const target: { result: ShipResult | undefined } = { result: undefined };
    read(reader, target);
    if (!target.result || reader.remaining() > 0) {
      throw new HistoryError('SHIP_MESSAGE_CORRUPT', `a result has ${reader.remaining()} trailing bytes`);
    }
    return target.result;
  };
}

function compileAlternative(layouts: LayoutCompiler, type: string): Read<{ result: ShipResult | undefined }> {
  if (type.startsWith('get_status_result')) {
    const read = compileStatus(layouts, type);
    return (reader, target) => {
      const status = emptyStatus();
      read(reader, status);
      target.result = { kind: 'status', status };
    };
  }
  const read = compileBlocksResult(layouts, type);
  return (reader, target) => {
    const blocks = emptyBlocksResult();
    read(reader, blocks);
    target.result = { kind: 'blocks', blocks };
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
        // The field is an extension in v0 and a plain field, with others after it, in v1 of Spring.
        type: ['checksum256$', 'checksum256'],
        read: (reader, status) => {
          if (reader.remaining() > 0) status.chainId = reader.slice(32).toString('hex');
        },
      },
    },
    ['chain_id'],
  );
}

function compileBlocksResult(layouts: LayoutCompiler, type: string): Read<BlocksResult> {
  const position = (assign: (result: BlocksResult, at: BlockPosition) => void): FieldReader<BlocksResult> => ({
    type: 'block_position',
    read: (reader, result) => assign(result, readPosition(reader)),
  });
  const optionalPosition = (assign: (result: BlocksResult, at: BlockPosition) => void): FieldReader<BlocksResult> => ({
    type: 'block_position?',
    read: (reader, result) => {
      if (readFlag(reader)) assign(result, readPosition(reader));
    },
  });
  const fields = {
    head: position((result, at) => void (result.head = at)),
    last_irreversible: position((result, at) => void (result.lastIrreversible = at)),
    this_block: optionalPosition((result, at) => void (result.thisBlock = at)),
    prev_block: optionalPosition((result, at) => void (result.prevBlock = at)),
    block: compileBlock(layouts, type),
    traces: compilePayload(layouts, type, 'traces', (result, bytes) => void (result.traces = bytes)),
    deltas: compilePayload(layouts, type, 'deltas', (result, bytes) => void (result.deltas = bytes)),
    finality_data: compilePayload(layouts, type, 'finality_data', (result, bytes) => {
      result.actionRoot = readActionRoot(bytes);
    }),
  };
  return layouts.struct<BlocksResult>(type, fields, ['finality_data']);
}

/** The layout is Spring's `finality_data` (libraries/state_history/abi.cpp), whose fields before the root have fixed sizes. */
function readActionRoot(finalityData: Buffer): string {
  const end = ACTION_ROOT_AT + ROOT_BYTES;
  if (finalityData.length < end)
    throw new HistoryError('DECODE_FAILED', `finality data of ${finalityData.length} bytes`);
  return finalityData.toString('hex', ACTION_ROOT_AT, end);
}

type Assign = (result: BlocksResult, bytes: Buffer) => void;

/** Reads `bytes?`, or `bytes` of EOSIO 2.1. There, empty bytes mean absent: a packed array has at least its count. */
function compilePayload(
  layouts: LayoutCompiler,
  type: string,
  name: string,
  assign: Assign,
): FieldReader<BlocksResult> {
  const isOptional = layouts.fieldsOf(type)?.get(name) !== 'bytes';
  return {
    type: ['bytes?', 'bytes'],
    read: (reader, result) => {
      if (isOptional && !readFlag(reader)) return;
      const bytes = reader.lengthPrefixed();
      if (isOptional || bytes.length > 0) assign(result, bytes);
    },
  };
}

/** Compiles the reader of the block: `bytes?` like the other payloads, in EOSIO 2.1 an optional variant of layouts. */
function compileBlock(layouts: LayoutCompiler, type: string): FieldReader<BlocksResult> {
  const assign: Assign = (result, bytes) => void (result.block = bytes);
  const fieldType = layouts.fieldsOf(type)?.get('block');
  if (fieldType === undefined || fieldType.startsWith('bytes')) return compilePayload(layouts, type, 'block', assign);
  if (!fieldType.endsWith('?')) throw unsupported(`field block of ${type} is ${fieldType}`);
  const readBlock = compileBlockVariant(layouts, fieldType.slice(0, -1));
  return {
    type: fieldType,
    read: (reader, result) => {
      if (readFlag(reader)) readBlock(reader, (bytes) => assign(result, bytes));
    },
  };
}

function readPosition(reader: ByteReader): BlockPosition {
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
    actionRoot: undefined,
  };
}
