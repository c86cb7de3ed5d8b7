import { createRandom, mutate, type Random } from '@antelope-history/chance';
import { openSample, SAMPLES } from '@antelope-history/recordings';
import { HistoryError } from '@antelope-history/schemas';
import { createShipProtocol, type ShipProtocol } from '@antelope-history/ship';
import { deserializeBlock } from '../src/index';

/** `FUZZ_ROUNDS` for a longer run, `FUZZ_SEED` to see one again. */
const ROUNDS = Number(process.env['FUZZ_ROUNDS'] ?? 20_000);
const SEED = Number(process.env['FUZZ_SEED'] ?? Date.now() % 1_000_000_000);
const MAX_MS = 50;
/** A snapshot's first message is no sample of a block: the whole state is in it. */
const MAX_SAMPLE_BYTES = 256 * 1024;

const chains = SAMPLES.map((sample) => {
  const recording = openSample(sample);
  const messages = recording.messages.map(({ bytes }) => bytes).filter(({ length }) => length <= MAX_SAMPLE_BYTES);
  return { protocol: createShipProtocol(recording.abi), messages };
});

type Chain = (typeof chains)[number];

/** A spoiled message, as a reading of it. Half of them keep the frame whole and have a payload spoiled inside it. */
function spoil({ protocol, messages }: Chain, random: Random): () => void {
  if (random(2) === 0) {
    const message = mutate(messages, random);
    return () => readMessage(protocol, message);
  }
  const result = protocol.readResult(messages[random(messages.length)]!);
  if (result.kind !== 'blocks') throw new Error('not a result of blocks');
  const { blocks } = result;
  const part = (['block', 'traces', 'deltas'] as const)[random(3)]!;
  const spoiled = { ...blocks, [part]: mutate([blocks[part] ?? Buffer.alloc(1)], random) };
  return () => void deserializeBlock(spoiled, protocol);
}

function readMessage(protocol: ShipProtocol, message: Buffer): void {
  const result = protocol.readResult(message);
  if (result.kind === 'blocks') deserializeBlock(result.blocks, protocol);
}

/** What became of a reading. Any other error than ours goes through and fails the test. */
function outcomeOf(run: () => void): string {
  try {
    run();
    return 'read';
  } catch (error) {
    if (error instanceof HistoryError) return error.code;
    throw error;
  }
}

/** Milliseconds of the fastest of some tries: other work of the machine does not count. */
function fastest(run: () => void): number {
  let best = Infinity;
  for (let attempt = 0; attempt < 5 && best > MAX_MS; attempt++) {
    const start = performance.now();
    run();
    best = Math.min(best, performance.now() - start);
  }
  return best;
}

describe(`a hostile message (seed ${SEED})`, () => {
  it(
    `is read or refused, in no time, ${ROUNDS} times`,
    () => {
      const random = createRandom(SEED);
      const outcomes: Record<string, number> = {};
      let slowest = 0;
      for (let round = 0; round < ROUNDS; round++) {
        const reading = spoil(chains[random(chains.length)]!, random);
        let outcome = '';
        const milliseconds = fastest(() => void (outcome = outcomeOf(reading)));
        outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
        slowest = Math.max(slowest, milliseconds);
        if (milliseconds > MAX_MS) throw new Error(`round ${round} took ${milliseconds} ms`);
      }
      process.stdout.write(
        `seed ${SEED}, ${ROUNDS} rounds, slowest ${slowest.toFixed(1)} ms: ${JSON.stringify(outcomes)}\n`,
      );
      expect(Object.keys(outcomes)).toEqual(expect.arrayContaining(['read', 'DECODE_FAILED']));
      expect(process.memoryUsage().rss).toBeLessThan(2 * 1024 ** 3);
    },
    60_000 + ROUNDS * 5,
  );

  it('leaves the readers as they were', () => {
    const random = createRandom(SEED);
    for (const chain of chains) {
      for (let round = 0; round < 500; round++) outcomeOf(spoil(chain, random));
      for (const message of chain.messages) readMessage(chain.protocol, message);
    }
  });
});
