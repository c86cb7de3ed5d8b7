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

/** Excludes the first message of a snapshot, which contains the whole state. */
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

/** A status result with the positions of a message; in EOSIO 2.0 it has no chain id. */
function statusOf(abi: string, message: Buffer): Buffer {
  const rest = abi.includes('checksum256$') ? 48 : 16;
  return Buffer.concat([Buffer.from([0]), message.subarray(1, 73), Buffer.alloc(rest, 1)]);
}

const PARTS = ['block', 'traces', 'deltas'] as const;

/** A message of a hostile node in a form that can be saved as JSON. */
export interface HostileInput {
  sample: SampleName;
  /** A mutated ABI frame; undefined = the sample's. */
  abi?: string;
  /** Base64 of a whole message, or of the payload `part` of a message of the sample. */
  message: string;
  part?: (typeof PARTS)[number];
  /** Index of the message whose payload is replaced. */
  messageIndex?: number;
}

/** Mutates a message, a payload inside an intact message, or sometimes the ABI frame for an intact message. */
export function mutateInput(random: Random): HostileInput {
  const chain = CHAINS[random(CHAINS.length)] as Chain;
  const { sample, messages, abi } = chain;
  const choice = random(16);
  if (choice === 0) {
    return { sample, abi: mutateFrame(abi, random), message: base64(messages[random(messages.length)]) };
  }
  if (choice < 8) return { sample, message: base64(mutate(messages, random)) };
  const messageIndex = random(messages.length - 1);
  const part = PARTS[random(3)] as (typeof PARTS)[number];
  const whole = blocksOf(chain.protocol, messages[messageIndex] as Buffer)?.[part];
  return { sample, message: base64(mutate([whole ?? Buffer.alloc(1)], random)), part, messageIndex };
}

/** Swaps type names of the frame, with and without suffixes, or mutates its bytes. */
function mutateFrame(abi: string, random: Random): string {
  if (random(4) === 0) return mutate([Buffer.from(abi)], random).toString('utf8');
  const types = [...abi.matchAll(/"type":\s*"([^"]*)"/g)];
  let mutated = abi;
  for (let time = random(4); time >= 0; time--) {
    const [from, to] = [types[random(types.length)], types[random(types.length)]];
    const suffix = ['', '', '[]', '?', '$', '[0]', '[3]', '[4294967295]'][random(8)] as string;
    const at = mutated.indexOf(from?.[0] ?? '', random(mutated.length));
    if (!from || at < 0) continue;
    mutated = `${mutated.slice(0, at)}"type":"${to?.[1] ?? ''}${suffix}"${mutated.slice(at + from[0].length)}`;
  }
  return mutated;
}

const base64 = (bytes: Buffer | undefined): string => (bytes ?? Buffer.alloc(0)).toString('base64');

/**
 * Reads an input as the stages do and returns `read` or the error code. The records of a readable input must be unchanged after
 * encoding and decoding, and each action record must decode. Errors other than HistoryError are thrown.
 */
export function outcomeOf(input: HostileInput): string {
  try {
    const records = read(input);
    if (records) assertRoundTrip(records);
    return 'read';
  } catch (error) {
    if (error instanceof HistoryError) return error.code;
    throw error;
  }
}

function read({ sample, abi, message, part, messageIndex }: HostileInput): BlockRecords | undefined {
  const chain = CHAINS.find((each) => each.sample === sample) as Chain;
  const protocol = abi === undefined ? chain.protocol : createShipProtocol(abi);
  const bytes = Buffer.from(message, 'base64');
  const whole = part === undefined ? bytes : (chain.messages[messageIndex ?? 0] as Buffer);
  const blocks = blocksOf(protocol, whole);
  if (!blocks?.thisBlock) return undefined;
  return deserializeBlock(part === undefined ? blocks : { ...blocks, [part]: bytes }, protocol);
}

function blocksOf(protocol: ShipProtocol, message: Buffer): BlocksResult | undefined {
  const result = protocol.readResult(message);
  return result.kind === 'blocks' ? result.blocks : undefined;
}

function assertRoundTrip(records: BlockRecords): void {
  try {
    const packed = blockRecordsCodec.encode(records);
    const again = blockRecordsCodec.encode(blockRecordsCodec.decode(packed));
    if (!packed.equals(again)) throw new Error('the records change in the codec');
    for (const { actions, firstSequence } of records.transactions) {
      for (const { bytes } of actions) decodeActionRecord(bytes, firstSequence);
    }
    if (records.block) readTransactions(records.block);
  } catch (cause) {
    throw new Error('the records of a readable input do not survive encoding and decoding', { cause });
  }
}

/** Reads packed transactions as the renderers do; they show one that does not decode as hex. */
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
