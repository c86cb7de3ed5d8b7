import {
  breakAbi,
  createRandom,
  generateAbi,
  generateData,
  type GeneratedAbi,
  mutate,
  packGeneratedAbi,
  pick,
  type Random,
  testSize,
} from '@antelope-history/test-support/random';
import { SAMPLES } from '@antelope-history/test-support/recordings';
import { hasErrorCode, HistoryError } from '@antelope-history/schemas';
import { type AbiDecoder, createAbiDecoder, DecodeAllowance, DEFAULT_DECODE_LIMITS } from '../src/index';
import { type JsonValue, JsonWriter, stringifyJson } from '@antelope-history/json';
import { lastAbis } from './recorded-actions';

/** `FUZZ_ROUNDS` sets the number of rounds; `FUZZ_SEED` repeats a run. */
const ROUNDS = Number(process.env['FUZZ_ROUNDS'] ?? testSize({ usual: 300, long: 1_000 }));
const SEED = Number(process.env['FUZZ_SEED'] ?? Date.now() % 1_000_000_000);
/** Limit on the processor time of one decoding with its printing. The fastest of `TRIES` attempts counts. */
const LIMIT_MS = 50;
const TRIES = 5;
const AMPLE = 2 * DEFAULT_DECODE_LIMITS.maxOutput;

/** Result of a round. Each test expects minimum shares of outcomes, so that it cannot pass without decoding data. */
type Outcome = 'equal' | 'too deep' | 'truncated' | 'refused' | 'decoded' | 'not decoded';

/** Valid ABIs with matching data: the JSON must equal the values that were packed. */
function validRound(random: Random): () => Outcome {
  const abi = generateAbi(random);
  const { name, type } = pick(random, abi.actions);
  const { bytes, json } = generateData(abi, type, random);
  const packed = packGeneratedAbi(abi);
  if (json === undefined) return () => 'truncated';
  return () => {
    const decoder = createAbiDecoder(packed);
    if (!decoder) throw new Error('a valid ABI is refused');
    try {
      expectText(stringifyJson(decoder.decode(type, bytes)), json);
    } catch (error) {
      if (hasErrorCode(error, 'DECODE_FAILED') && error.message.includes('nests deeper')) return 'too deep';
      throw error;
    }
    expectText(decodeRepeatedly(decoder, name, bytes), json);
    return 'equal';
  };
}

/** ABIs with invalid parts, mutated bytes or both, and data that matches, nearly matches, or does not match. */
function brokenRound(random: Random): () => Outcome {
  const abi = generateAbi(random);
  if (random(8) > 0) breakAbi(abi, random);
  const packed = packGeneratedAbi(abi);
  return useRound(random(4) === 0 ? mutate([packed], random) : packed, abi, random);
}

const recorded = SAMPLES.flatMap((sample) => [...lastAbis(sample).values()]);

/** ABIs of recorded contracts, spliced with generated ABIs. */
function splicedRound(random: Random): () => Outcome {
  const abi = generateAbi(random);
  return useRound(mutate([...recorded, packGeneratedAbi(abi)], random), abi, random);
}

function useRound(packed: Buffer, abi: GeneratedAbi, random: Random): () => Outcome {
  const { name, type } = pick(random, abi.actions);
  const data = corrupt(generateData(abi, type, random).bytes, random);
  const types = [type, ...abi.action_results.map(({ result_type }) => result_type), 'signature[]', 'nothing?$'];
  return () => {
    const decoder = createAbiDecoder(packed);
    if (!decoder) return 'refused';
    const text = decodeRepeatedly(decoder, name, data);
    expectText(decodeRepeatedly(createAbiDecoder(packed)!, name, data), text);
    for (const each of types) decodeOrRefuse(decoder, each, data);
    return text === undefined ? 'not decoded' : 'decoded';
  };
}

function corrupt(data: Buffer, random: Random): Buffer {
  const kind = random(6);
  if (kind < 2) return data;
  if (kind === 2) return Buffer.concat([data, Buffer.alloc(random(1 << 14), random(3))]);
  return mutate([data], random);
}

/** Processor time of the slowest decoding in the current round. */
let slowestMs = 0;

/**
 * The JSON text of an action's data; undefined where the node shows hex. Fails if a second decoding or the writer differs, if the
 * allowance is charged less than the length of the text, or if a smaller allowance does not prevent the decoding.
 */
function decodeRepeatedly(decoder: AbiDecoder, name: string, data: Buffer): string | undefined {
  const text = textOf(() => decoder.decodeAction(name, data));
  const { spent, text: again } = decodeWithin(AMPLE, decoder, name, data);
  expectText(again, text);
  if (text !== undefined) {
    if (Buffer.byteLength(text) > spent) throw new Error(`${Buffer.byteLength(text)} bytes of JSON cost ${spent}`);
    expectText(decodeWithin(spent, decoder, name, data).text, text);
    const { exceeded, text: none } = decodeWithin(spent - 1, decoder, name, data);
    if (!exceeded || none !== undefined) throw new Error('the allowance does not limit the decoding');
  }
  textOf(() => decoder.decodeActionResult(name, data));
  return text;
}

function decodeWithin(units: number, decoder: AbiDecoder, name: string, data: Buffer) {
  const allowance = new DecodeAllowance(units);
  const text = textOf(() => decoder.decodeAction(name, data, allowance));
  expectWritten(text, allowance, decoder, name, data);
  return { text, exceeded: allowance.exceeded, spent: allowance.spent };
}

/** The writer has to write the same text for the same allowance, and nothing where there is none. */
function expectWritten(
  text: string | undefined,
  { total, exceeded, spent }: DecodeAllowance,
  decoder: AbiDecoder,
  name: string,
  data: Buffer,
): void {
  const allowance = new DecodeAllowance(total);
  const out = new JsonWriter().raw('before ');
  const isWritten = decoder.writeAction(out, name, data, allowance);
  expectText(out.copyFrom(0).toString(), `before ${text ?? ''}`);
  const { exceeded: writerExceeded, spent: writerSpent } = allowance;
  const actual = { isWritten, exceeded: writerExceeded, spent: writerSpent };
  expectText(JSON.stringify(actual), JSON.stringify({ isWritten: text !== undefined, exceeded, spent }));
}

function decodeOrRefuse(decoder: AbiDecoder, type: string, data: Buffer): void {
  try {
    textOf(() => decoder.decode(type, data));
  } catch (error) {
    if (!(error instanceof HistoryError)) throw error;
  }
}

/** Decodes and prints a value, checks that the text is valid JSON, and measures the processor time. */
function textOf(decode: () => JsonValue | undefined): string | undefined {
  const start = process.cpuUsage();
  const value = decode();
  const text = value === undefined ? undefined : stringifyJson(value);
  const { user, system } = process.cpuUsage(start);
  slowestMs = Math.max(slowestMs, (user + system) / 1_000);
  if (text === undefined) return undefined;
  JSON.parse(text);
  return text;
}

function expectText(actual: string | undefined, expected: string | undefined): void {
  if (actual !== expected) expect(actual).toBe(expected);
}

describe.each([
  { what: 'valid ABIs decode to the packed values', create: validRound, share: { equal: 0.95 } },
  {
    what: 'broken ABIs decode or are refused',
    create: brokenRound,
    share: { refused: 0.1, decoded: 0.05, 'not decoded': 0.05 },
  },
  {
    what: 'spliced ABIs decode or are refused',
    create: splicedRound,
    share: { refused: 0.1, 'not decoded': 0.01 },
  },
])('$what', ({ create, share }) => {
  it(`within the time limit (seed ${SEED})`, () => {
    const random = createRandom(SEED);
    const outcomes: Partial<Record<Outcome, number>> = {};
    for (let index = 0; index < ROUNDS; index++) {
      const outcome = inRound(index, () => runInTime(create(random)));
      outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
    }
    for (const [outcome, least] of Object.entries(share)) {
      expect((outcomes[outcome as Outcome] ?? 0) / ROUNDS).toBeGreaterThan(least);
    }
  }, 1_800_000);
});

function runInTime(run: () => Outcome): Outcome {
  for (let attempt = 1; ; attempt++) {
    slowestMs = 0;
    const outcome = run();
    if (slowestMs <= LIMIT_MS) return outcome;
    if (attempt === TRIES) throw new Error(`a decoding takes ${slowestMs.toFixed(1)} ms`);
  }
}

function inRound<T>(index: number, run: () => T): T {
  try {
    return run();
  } catch (error) {
    throw new Error(`round ${index}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}
