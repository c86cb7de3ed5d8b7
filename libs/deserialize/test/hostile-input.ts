import { mutate, type Random } from '@antelope-history/test-support/random';
import { openSample, SAMPLES, type SampleName } from '@antelope-history/test-support/recordings';
import { hasErrorCode, HistoryError } from '@antelope-history/schemas';
import {
  createShipProtocol,
  readContextFreeData,
  readPackedTransaction,
  readReceipts,
  readTransaction,
  type BlocksResult,
  type ShipProtocol,
} from '@antelope-history/ship';
import { deserializeBlock } from '../src/index';
import { blockRecordsCodec, decodeActionRecord, type BlockRecords } from '@antelope-history/records';

/** A snapshot's first message is no sample of a block: the whole state is in it. */
const MAX_SAMPLE_BYTES = 256 * 1024;

export interface Chain {
  sample: SampleName;
  abi: string;
  protocol: ShipProtocol;
  messages: Buffer[];
}

export const CHAINS: readonly Chain[] = SAMPLES.map((sample) => {
  const { abi, messages } = openSample(sample);
  const blocks = messages.map(({ bytes }) => bytes).filter(({ length }) => length <= MAX_SAMPLE_BYTES);
  return { sample, abi, protocol: createShipProtocol(abi), messages: [...blocks, statusOf(abi, blocks[0] as Buffer)] };
});

/** A status with the positions of a message; that of EOSIO 2.0 has no chain id. */
function statusOf(abi: string, message: Buffer): Buffer {
  const rest = abi.includes('checksum256$') ? 48 : 16;
  return Buffer.concat([Buffer.from([0]), message.subarray(1, 73), Buffer.alloc(rest, 1)]);
}

const PARTS = ['block', 'traces', 'deltas'] as const;

/** What a hostile node sends, in a form that a file can keep. */
export interface HostileInput {
  sample: SampleName;
  /** Another ABI frame than the sample's. */
  abi?: string;
  /** A whole message, or the payload that stands in a message of the sample. */
  message: string;
  part?: (typeof PARTS)[number];
  /** The message in which the part stands. */
  place?: number;
}

/** Spoils a message, a payload inside a whole frame, or now and then the ABI frame by which a whole message is read. */
export function spoil(random: Random): HostileInput {
  const chain = CHAINS[random(CHAINS.length)] as Chain;
  const { sample, messages, abi } = chain;
  const kind = random(16);
  if (kind === 0) {
    return { sample, abi: spoilFrame(abi, random), message: base64(messages[random(messages.length)]) };
  }
  if (kind < 8) return { sample, message: base64(mutate(messages, random)) };
  const place = random(messages.length - 1);
  const part = PARTS[random(3)] as (typeof PARTS)[number];
  const whole = blocksOf(chain.protocol, messages[place] as Buffer)?.[part];
  return { sample, message: base64(mutate([whole ?? Buffer.alloc(1)], random)), part, place };
}

/** Puts type names of the frame in one another's places, with suffixes and without, or spoils its bytes. */
function spoilFrame(abi: string, random: Random): string {
  if (random(4) === 0) return mutate([Buffer.from(abi)], random).toString('utf8');
  const types = [...abi.matchAll(/"type":\s*"([^"]*)"/g)];
  let spoiled = abi;
  for (let time = random(4); time >= 0; time--) {
    const [from, to] = [types[random(types.length)], types[random(types.length)]];
    const suffix = ['', '', '[]', '?', '$', '[0]', '[3]', '[4294967295]'][random(8)] as string;
    const at = spoiled.indexOf(from?.[0] ?? '', random(spoiled.length));
    if (!from || at < 0) continue;
    spoiled = `${spoiled.slice(0, at)}"type":"${to?.[1] ?? ''}${suffix}"${spoiled.slice(at + from[0].length)}`;
  }
  return spoiled;
}

const base64 = (bytes: Buffer | undefined): string => (bytes ?? Buffer.alloc(0)).toString('base64');

/**
 * Reads an input as the stages do. Gives its error code, or that it was read; then its records have to travel: what comes out of
 * the codec goes into it the same, and each action record reads back. Any other error than ours goes through.
 */
export function outcomeOf(input: HostileInput): string {
  try {
    const records = read(input);
    if (records) assertTravels(records);
    return 'read';
  } catch (error) {
    if (error instanceof HistoryError) return error.code;
    throw error;
  }
}

function read({ sample, abi, message, part, place }: HostileInput): BlockRecords | undefined {
  const chain = CHAINS.find((each) => each.sample === sample) as Chain;
  const protocol = abi === undefined ? chain.protocol : createShipProtocol(abi);
  const bytes = Buffer.from(message, 'base64');
  const whole = part === undefined ? bytes : (chain.messages[place ?? 0] as Buffer);
  const blocks = blocksOf(protocol, whole);
  if (!blocks?.thisBlock) return undefined;
  return deserializeBlock(part === undefined ? blocks : { ...blocks, [part]: bytes }, protocol);
}

function blocksOf(protocol: ShipProtocol, message: Buffer): BlocksResult | undefined {
  const result = protocol.readResult(message);
  return result.kind === 'blocks' ? result.blocks : undefined;
}

function assertTravels(records: BlockRecords): void {
  try {
    const packed = blockRecordsCodec.encode(records);
    const again = blockRecordsCodec.encode(blockRecordsCodec.decode(packed));
    if (!packed.equals(again)) throw new Error('the records come out of the codec as others');
    for (const { actions, firstSequence } of records.transactions) {
      for (const { bytes } of actions) decodeActionRecord(bytes, firstSequence);
    }
    if (records.block) readTransactions(records.block);
  } catch (cause) {
    throw new Error('what was read does not travel', { cause });
  }
}

/** Reads what senders packed, as responses do: a transaction that is none is shown as hex. */
function readTransactions(block: Buffer): void {
  for (const { transaction } of readReceipts(block)) {
    if (!('packed' in transaction)) continue;
    try {
      readTransaction(readPackedTransaction(transaction.packed));
      readContextFreeData(readPackedTransaction(transaction.packed));
    } catch (error) {
      if (!hasErrorCode(error, 'DECODE_FAILED')) throw error;
    }
  }
}
