import { stringifyJson } from '@antelope-history/json';
import { HistoryError } from '@antelope-history/schemas';
import { createRandom, mutate, type Random, testSize } from '@antelope-history/test-support/random';
import { SAMPLES } from '@antelope-history/test-support/recordings';
import { createAbiDecoder } from '../src/index';
import { lastAbis, recordedActions } from './recorded-actions';

/** `FUZZ_ROUNDS` sets the number of rounds; `FUZZ_SEED` repeats a run. */
const ROUNDS = Number(process.env['FUZZ_ROUNDS'] ?? testSize({ usual: 5_000, long: 20_000 }));
const SEED = Number(process.env['FUZZ_SEED'] ?? Date.now() % 1_000_000_000);
/** Time limit of a round. The fastest of `TRIES` attempts counts, so that other load on the machine does not matter. */
const MAX_MS = 50;
const TRIES = 5;

const abis = SAMPLES.flatMap((sample) => [...lastAbis(sample).values()]);
const actions = SAMPLES.flatMap((sample) => recordedActions(sample));

/** Compiles the bytes as an ABI and decodes data with it. Returns whether the ABI compiled. */
function use(abi: Buffer, data: Buffer, name: string): boolean {
  const decoder = createAbiDecoder(abi);
  if (!decoder) return false;
  for (const action of [name, 'transfer']) {
    try {
      stringifyJson(decoder.decodeAction(action, data));
    } catch (error) {
      if (!(error instanceof HistoryError)) throw error;
    }
  }
  return true;
}

function fastest(run: () => void): number {
  let best = Infinity;
  for (let attempt = 0; attempt < TRIES && best > MAX_MS; attempt++) {
    const start = performance.now();
    run();
    best = Math.min(best, performance.now() - start);
  }
  return best;
}

/** Creates a round from the next random numbers; calls of the returned function repeat the same round. */
function round(random: Random): () => boolean {
  const abi = mutate(abis, random);
  const { name, bytes } = actions[random(actions.length)]!;
  const data = mutate([bytes], random);
  return () => use(abi, data, name);
}

it(`mutated ABIs of contracts decode or are refused within the time limit (seed ${SEED})`, () => {
  const random = createRandom(SEED);
  let compiled = 0;
  for (let index = 0; index < ROUNDS; index++) {
    const run = round(random);
    const milliseconds = fastest(() => void (compiled += Number(run())));
    if (milliseconds > MAX_MS) throw new Error(`round ${index} takes ${milliseconds.toFixed(1)} ms`);
  }
  expect(compiled).toBeGreaterThan(ROUNDS / 100);
}, 600_000);
