import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createRandom, testSize } from '@antelope-history/test-support/random';
import { CHAINS, type HostileInput, mutateInput, outcomeOf } from './hostile-input';

/** `FUZZ_ROUNDS` makes the run longer, `FUZZ_SEED` repeats a run. */
const ROUNDS = Number(process.env['FUZZ_ROUNDS'] ?? testSize({ usual: 5_000, long: 20_000 }));
const SEED = Number(process.env['FUZZ_SEED'] ?? Date.now() % 1_000_000_000);
const MAX_MS = 50;
/** A mutated ABI frame is compiled first. */
const MAX_MS_OF_FRAME = 250;
/** Inputs that failed in earlier runs. The test adds those that it finds. */
const CRASHES = path.join(__dirname, 'crashes');
const CODES = ['read', 'DECODE_FAILED', 'SHIP_MESSAGE_CORRUPT', 'SHIP_UNSUPPORTED', 'SHIP_DATA_MISSING'];

/** Milliseconds of the fastest of up to five runs, which excludes other load of the machine. */
function fastest(limitMs: number, run: () => void): number {
  let best = Infinity;
  for (let attempt = 0; attempt < 5 && best > limitMs; attempt++) {
    const start = performance.now();
    run();
    best = Math.min(best, performance.now() - start);
  }
  return best;
}

/** Reads an input; saves it as a file when it fails or takes too long. */
function judge(input: HostileInput, name: string): { outcome: string; milliseconds: number } {
  try {
    let outcome = '';
    const limit = input.abi === undefined ? MAX_MS : MAX_MS_OF_FRAME;
    const milliseconds = fastest(limit, () => void (outcome = outcomeOf(input)));
    expect(CODES).toContain(outcome);
    if (milliseconds > limit) throw new Error(`it took ${milliseconds} ms`);
    return { outcome, milliseconds };
  } catch (error) {
    mkdirSync(CRASHES, { recursive: true });
    writeFileSync(path.join(CRASHES, `${name}.json`), JSON.stringify(input));
    throw new Error(`${name} failed, see ${CRASHES}`, { cause: error });
  }
}

describe(`a hostile message (seed ${SEED})`, () => {
  it(
    `is read or refused within the time limit, ${ROUNDS} times`,
    () => {
      const random = createRandom(SEED);
      const outcomes: Record<string, number> = {};
      let slowest = 0;
      for (let round = 0; round < ROUNDS; round++) {
        const { outcome, milliseconds } = judge(mutateInput(random), `${SEED}-${round}`);
        outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
        slowest = Math.max(slowest, milliseconds);
      }
      process.stdout.write(
        `seed ${SEED}, ${ROUNDS} rounds, slowest ${slowest.toFixed(1)} ms: ${JSON.stringify(outcomes)}\n`,
      );
      expect(Object.keys(outcomes)).toEqual(expect.arrayContaining(['read', 'DECODE_FAILED', 'SHIP_UNSUPPORTED']));
      expect(process.memoryUsage().rss).toBeLessThan(2 * 1024 ** 3);
    },
    60_000 + ROUNDS * 5,
  );

  it('is refused when it is truncated at any byte', () => {
    for (const { sample, messages } of CHAINS) {
      const shortest = [...messages].sort((left, right) => left.length - right.length).slice(0, 5);
      for (const message of shortest) {
        for (let length = 0; length < Math.min(message.length, 4_096); length++) {
          const cut = message.subarray(0, length).toString('base64');
          const { outcome } = judge({ sample, message: cut }, `${sample}-cut-${length}`);
          // The chain id at the end of a status is an extension: without it the status is that of EOSIO 2.0.
          if (length !== message.length - 32) expect(outcome).not.toBe('read');
        }
      }
    }
  });

  // No test while no run has failed on this machine.
  for (const file of existsSync(CRASHES) ? readdirSync(CRASHES) : []) {
    it(`that failed in an earlier run is read or refused: ${file}`, () => {
      judge(JSON.parse(readFileSync(path.join(CRASHES, file), 'utf8')) as HostileInput, path.parse(file).name);
    });
  }

  it('does not change the state of the readers', () => {
    const random = createRandom(SEED);
    for (let round = 0; round < 2_000; round++) outcomeOf(mutateInput(random));
    for (const { sample, messages } of CHAINS) {
      for (const message of messages) expect(outcomeOf({ sample, message: message.toString('base64') })).toBe('read');
    }
  });
});
