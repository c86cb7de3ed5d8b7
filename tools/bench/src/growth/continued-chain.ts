import { createHash } from 'node:crypto';
import { createShipProtocol, type ShipProtocol } from '@antelope-history/ship';
import type { RecordedMessage, RecordedPosition, Recording } from '@antelope-history/test-support/recordings';

/** A chain in which the blocks of a recording follow each other several times. */
export interface ContinuedChain {
  recording: Recording;
  /** The id that a recorded transaction has in a round, both of 64 hex digits. Round 0 is the recording itself. */
  transactionId(recorded: string, round: number): string;
}

/** The setting of a service that indexes it: ids and roots of later rounds are not those of their contents. */
export const UNVERIFIED = { HISTORY_INDEXER__VERIFY_BLOCKS: 'off' };

/** Of a signed block, the bytes before the id of the previous one: timestamp, producer and confirmed blocks. */
const PREVIOUS_AT = 4 + 8 + 2;
/** A result begins with its variant, then `head` and `last_irreversible`; the options of this and the previous block follow. */
const THIS_BLOCK_AT = 1 + 36 + 36 + 1;
const PREVIOUS_BLOCK_AT = THIS_BLOCK_AT + 36 + 1;
const ID_BYTES = 32;

/**
 * Continues a recording without forks: after it, all its blocks but the first follow again, `rounds` times in all. The first block
 * sets up the chain. Block numbers, times and global sequences go on, and ids of blocks and transactions differ in each round.
 * Everything else is as recorded, so ids and roots are not the hashes of what they name: a service that verifies blocks rejects it.
 */
export function continueChain({ abi, messages, chainId }: Recording, rounds: number): ContinuedChain {
  const protocol = createShipProtocol(abi);
  const repeated = messages.map((message) => ({ message, places: placesIn(message, protocol) }));
  const [first, second, last] = [messages[0], messages[1], messages.at(-1)];
  if (!first?.thisBlock || !second || !last?.thisBlock) throw new Error('the recording is too short');
  const step: Step = {
    blocks: last.thisBlock.num - first.thisBlock.num,
    // The first block has the time of the chain's genesis, which may be years before.
    slots: slotOf(last) + 1 - slotOf(second),
    sequences: lastSequence(repeated.at(-1)?.places) - lastSequence(repeated[0]?.places),
  };
  const continued: RecordedMessage[] = [...messages];
  for (let round = 1; round < rounds; round++) {
    const shift = shiftOf(step, round);
    const before = shiftOf(step, round - 1);
    for (const [index, { message, places }] of repeated.slice(1).entries()) {
      const previous = index === 0 ? shifted(last.thisBlock, before) : shifted(message.prevBlock, shift);
      continued.push(new ContinuedMessage(continued.length, message, places, shift, previous));
    }
  }
  return {
    recording: { abi, messages: continued, chainId },
    transactionId: (recorded, round) => masked(Buffer.from(recorded, 'hex'), shiftOf(step, round).mask).toString('hex'),
  };
}

/** What one round adds. */
interface Step {
  blocks: number;
  slots: number;
  sequences: number;
}

/** What a round adds to the recorded values. */
interface Shift extends Step {
  /** The bytes of ids change by exclusive or with it. */
  mask: Buffer;
}

function shiftOf({ blocks, slots, sequences }: Step, round: number): Shift {
  const mask = round === 0 ? Buffer.alloc(ID_BYTES) : createHash('sha256').update(`round ${round}`).digest();
  return { blocks: blocks * round, slots: slots * round, sequences: sequences * round, mask };
}

/** Offsets in a message. */
interface Places {
  transactionIds: number[];
  sequences: { at: number; value: number }[];
}

function placesIn({ bytes, traces }: RecordedMessage, protocol: ShipProtocol): Places {
  const places: Places = { transactionIds: [], sequences: [] };
  if (!traces.present) return places;
  protocol.readTraces(bytes.subarray(traces.start, traces.end), (transaction) => {
    places.transactionIds.push(traces.start + transaction.idAt);
    for (const { hasReceipt, actDigestAt, globalSequence } of transaction.actions.slice(0, transaction.actionCount)) {
      // In `action_receipt_v0` the global sequence follows the digest (nodeos libraries/state_history/abi.cpp).
      if (hasReceipt) places.sequences.push({ at: traces.start + actDigestAt + ID_BYTES, value: globalSequence });
    }
  });
  return places;
}

function lastSequence(places: Places | undefined): number {
  return Math.max(0, ...(places?.sequences.map(({ value }) => value) ?? []));
}

function slotOf({ bytes, block }: RecordedMessage): number {
  return bytes.readUInt32LE(block.start);
}

function shifted(position: RecordedPosition, shift: Shift): RecordedPosition;
function shifted(position: RecordedPosition | undefined, shift: Shift): RecordedPosition | undefined;
function shifted(position: RecordedPosition | undefined, { blocks, mask }: Shift): RecordedPosition | undefined {
  if (!position) return undefined;
  const num = position.num + blocks;
  const id = masked(Buffer.from(position.id, 'hex'), mask);
  id.writeUInt32BE(num);
  return { num, id: id.toString('hex') };
}

function masked(id: Buffer, mask: Buffer): Buffer {
  return id.map((byte, index) => byte ^ (mask[index] ?? 0)) as Buffer;
}

/** A recorded message in a later round. Its bytes are made when they are read: all rounds together do not fit into memory. */
class ContinuedMessage implements RecordedMessage {
  readonly head: RecordedPosition;
  readonly lastIrreversible: RecordedPosition;
  readonly thisBlock: RecordedPosition | undefined;
  readonly block: RecordedMessage['block'];
  readonly traces: RecordedMessage['traces'];
  readonly deltas: RecordedMessage['deltas'];
  readonly finalityData: RecordedMessage['finalityData'];

  constructor(
    readonly index: number,
    private readonly recorded: RecordedMessage,
    private readonly places: Places,
    private readonly shift: Shift,
    readonly prevBlock: RecordedPosition | undefined,
  ) {
    this.head = shifted(recorded.head, shift);
    this.lastIrreversible = shifted(recorded.lastIrreversible, shift);
    this.thisBlock = shifted(recorded.thisBlock, shift);
    this.block = recorded.block;
    this.traces = recorded.traces;
    this.deltas = recorded.deltas;
    this.finalityData = recorded.finalityData;
  }

  get bytes(): Buffer {
    const bytes = Buffer.from(this.recorded.bytes);
    const { slots, sequences, mask } = this.shift;
    if (this.thisBlock) writePosition(bytes, THIS_BLOCK_AT, this.thisBlock);
    if (this.prevBlock) {
      writePosition(bytes, PREVIOUS_BLOCK_AT, this.prevBlock);
      if (this.block.present) bytes.write(this.prevBlock.id, this.block.start + PREVIOUS_AT, 'hex');
    }
    if (this.block.present) bytes.writeUInt32LE(slotOf(this.recorded) + slots, this.block.start);
    for (const { at, value } of this.places.sequences) bytes.writeUIntLE(value + sequences, at, 6);
    for (const at of this.places.transactionIds) {
      for (let index = 0; index < ID_BYTES; index++) bytes[at + index] = (bytes[at + index] ?? 0) ^ (mask[index] ?? 0);
    }
    return bytes;
  }
}

function writePosition(target: Buffer, at: number, { num, id }: RecordedPosition): void {
  target.writeUInt32LE(num, at);
  target.write(id, at + 4, 'hex');
}
