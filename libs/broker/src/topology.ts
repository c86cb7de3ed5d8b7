import {
  type Authority,
  type BlockRecords,
  blockRecordsCodec,
  type RawBlock,
  rawBlockCodec,
} from '@antelope-history/records';
import { HistoryError } from '@antelope-history/schemas';
import type { MessageCodec, Queue } from './broker';

/**
 * Asks the reader to read again from the store's committed position, because a later stage could not use a block. Messages of
 * earlier versions carry a `fromBlock` besides, which is ignored.
 */
export interface RefetchRequest {
  /** A code of `docs/errors.md`. */
  code: string;
  /** What happened, for the log. */
  reason: string;
}

const MIB = 1024 * 1024;

const refetchCodec: MessageCodec<RefetchRequest> = {
  encode: (request) => Buffer.from(JSON.stringify(request)),
  decode: (bytes) => {
    const parsed = parseJson(bytes) as Partial<RefetchRequest> | null;
    if (typeof parsed?.code !== 'string' || typeof parsed.reason !== 'string') {
      throw new HistoryError('DECODE_FAILED', 'the message is no refetch request: it has no code or no reason');
    }
    return { code: parsed.code, reason: parsed.reason };
  },
};

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch (cause) {
    throw new HistoryError('DECODE_FAILED', 'the message is not JSON', { cause });
  }
}

/** The queues between the stages. Adapters of the broker port create them. */
export const TOPOLOGY = {
  rawBlocks: {
    name: 'raw-blocks',
    deadLetter: 'raw-blocks.dead',
    maxMessages: 256,
    maxBytes: 64 * MIB,
    prefetch: 16,
    sizeOf: (raw: RawBlock) => raw.message.length,
    codec: rawBlockCodec,
  } satisfies Queue<RawBlock>,
  blockRecords: {
    name: 'block-records',
    deadLetter: 'block-records.dead',
    maxMessages: 256,
    maxBytes: 64 * MIB,
    prefetch: 128,
    sizeOf: (records: BlockRecords) => recordBytes(records),
    codec: blockRecordsCodec,
  } satisfies Queue<BlockRecords>,
  refetch: {
    name: 'refetch',
    deadLetter: 'refetch.dead',
    maxMessages: 1024,
    maxBytes: MIB,
    prefetch: 1,
    sizeOf: () => 64,
    codec: refetchCodec,
  } satisfies Queue<RefetchRequest>,
};

function recordBytes(records: BlockRecords): number {
  let bytes = records.block?.length ?? 0;
  for (const transaction of records.transactions)
    for (const action of transaction.actions) bytes += action.bytes.length;
  for (const change of records.abiChanges) bytes += change.abi.length;
  // The first message of a node that was started from a snapshot contains every permission of the chain.
  for (const { authority } of records.permissionChanges) bytes += PERMISSION_BYTES + authorityBytes(authority);
  return bytes;
}

/** Two names of 8 bytes, and about as much for the change itself. */
const PERMISSION_BYTES = 32;
const ACTOR_BYTES = 8;

function authorityBytes(authority: Authority | undefined): number {
  let bytes = 0;
  for (const key of authority?.keys ?? []) bytes += key.length;
  return bytes + ACTOR_BYTES * (authority?.actors.length ?? 0);
}
