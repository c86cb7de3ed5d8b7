import {
  breakAbi,
  createRandom,
  generateAbi,
  generateData,
  type GeneratedAbi,
  mutate,
  packGeneratedAbi,
  type Random,
  testSize,
} from '@antelope-history/test-support/random';
import { SAMPLES } from '@antelope-history/test-support/recordings';
import { hasErrorCode, HistoryError } from '@antelope-history/schemas';
import { type AbiDecoder, createAbiDecoder, DecodeAllowance, DEFAULT_DECODE_LIMITS } from '../src/index';
import { type JsonValue, stringifyJson } from '@antelope-history/json';
import { lastAbis } from './recorded-actions';

/** `FUZZ_ROUNDS` makes the run longer, `FUZZ_SEED` repeats a run. */
const ROUNDS = Number(process.env['FUZZ_ROUNDS'] ?? testSize({ usual: 300, long: 1_000 }));
const SEED = Number(process.env['FUZZ_SEED'] ?? Date.now() % 1_000_000_000);
/** Processor time of one decoding and its printing, the least of some tries: other work does not count. */
const LIMIT_MS = 50;
const TRIES = 5;
const AMPLE = 2 * DEFAULT_DECODE_LIMITS.maxOutput;

/** What a round did, by name; each must have happened in a run, so that the run says something. */
type Outcome = 'right' | 'too deep' | 'cut off' | 'refused' | 'decoded' | 'not decoded';

/** Valid ABIs with data that fits: the JSON must be what the data was made of. */
function honestRound(random: Random): () => Outcome {
  const abi = generateAbi(random);
  const { name, type } = pick(random, abi.actions);
  const { bytes, json } = generateData(abi, type, random);
  const packed = packGeneratedAbi(abi);
  if (json === undefined) return () => 'cut off';
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
    return 'right';
  };
}

/** ABIs that are broken, by their parts, their bytes or both, and data that fits, fits nearly, or not. */
function hostileRound(random: Random): () => Outcome {
  const abi = generateAbi(random);
  if (random(8) > 0) breakAbi(abi, random);
  const packed = packGeneratedAbi(abi);
  return useRound(random(4) === 0 ? mutate([packed], random) : packed, abi, random);
}

const recorded = SAMPLES.flatMap((sample) => [...lastAbis(sample).values()]);

/** ABIs of real contracts, spliced with generated ones. */
function splicedRound(random: Random): () => Outcome {
  const abi = generateAbi(random);
  return useRound(mutate([...recorded, packGeneratedAbi(abi)], random), abi, random);
}

function useRound(packed: Buffer, abi: GeneratedAbi, random: Random): () => Outcome {
  const { name, type } = pick(random, abi.actions);
  const data = spoil(generateData(abi, type, random).bytes, random);
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

function spoil(data: Buffer, random: Random): Buffer {
  const kind = random(6);
  if (kind < 2) return data;
  if (kind === 2) return Buffer.concat([data, Buffer.alloc(random(1 << 14), random(3))]);
  return mutate([data], random);
}

/** The slowest decoding of the round that runs. */
let slowestMs = 0;

/**
 * The JSON text of an action's data, the same each time, paid for by its allowance byte for byte; undefined where the node
 * shows hex.
 */
function decodeRepeatedly(decoder: AbiDecoder, name: string, data: Buffer): string | undefined {
  const text = textOf(() => decoder.decodeAction(name, data));
  const { spent, text: again } = decodeWithin(AMPLE, decoder, name, data);
  expectText(again, text);
  if (text !== undefined) {
    if (Buffer.byteLength(text) > spent) throw new Error(`${Buffer.byteLength(text)} bytes of JSON cost ${spent}`);
    expectText(decodeWithin(spent, decoder, name, data).text, text);
    const { exceeded, text: none } = decodeWithin(spent - 1, decoder, name, data);
    if (!exceeded || none !== undefined) throw new Error('an allowance does not hold');
  }
  textOf(() => decoder.decodeActionResult(name, data));
  return text;
}

function decodeWithin(units: number, decoder: AbiDecoder, name: string, data: Buffer) {
  const allowance = new DecodeAllowance(units);
  const text = textOf(() => decoder.decodeAction(name, data, allowance));
  return { text, exceeded: allowance.exceeded, spent: allowance.spent };
}

function decodeOrRefuse(decoder: AbiDecoder, type: string, data: Buffer): void {
  try {
    textOf(() => decoder.decode(type, data));
  } catch (error) {
    if (!(error instanceof HistoryError)) throw error;
  }
}

/** JSON that can be read. */
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

function pick<T>(random: Random, values: readonly T[]): T {
  return values[random(values.length)]!;
}

describe.each([
  { what: 'valid ABIs read what was packed by them', create: honestRound, share: { right: 0.95 } },
  {
    what: 'broken ABIs do no more than be refused',
    create: hostileRound,
    share: { refused: 0.1, decoded: 0.05, 'not decoded': 0.05 },
  },
  {
    what: 'spliced ABIs do no more than be refused',
    create: splicedRound,
    share: { refused: 0.1, 'not decoded': 0.01 },
  },
])('$what', ({ create, share }) => {
  it(`and never take long (seed ${SEED})`, () => {
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
