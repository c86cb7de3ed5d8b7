import { type HonestParts, type Misbehaviour, startHostileNode } from '@antelope-history/ship-replay';
import { createRandom, mutate, type Random, testSize } from '@antelope-history/test-support/random';
import { openSample } from '@antelope-history/test-support/recordings';
import { Chains } from './chains';

/** The number of sessions. `FUZZ_ROUNDS` sets it for a longer run, `FUZZ_SEED` repeats a run. */
const ROUNDS = Number(process.env['FUZZ_ROUNDS'] ?? testSize({ usual: 8_000, long: 20_000 })) / 100;
const SEED = Number(process.env['FUZZ_SEED'] ?? Date.now() % 1_000_000_000);

const chains = new Chains();
afterAll(() => chains.close());

type WebSocket = Parameters<NonNullable<Misbehaviour['open']>>[0];

/** A session with one mutated frame or some mutated blocks. It ends with an empty message at the latest. */
function mutatedSession(random: Random): Misbehaviour {
  const kind = random(6);
  const mutated = (frame: Buffer): Buffer => mutate([frame], random);
  const end = (socket: WebSocket): void => socket.send(Buffer.alloc(0));
  const blocks = (socket: WebSocket, node: HonestParts): void => {
    const from = random(node.blocks.length);
    for (const block of node.blocks.slice(from, from + random(8)))
      socket.send(random(3) === 0 ? mutated(block) : block);
    end(socket);
  };
  const code = 'any';
  if (kind === 0) {
    const open = (socket: WebSocket, { abi }: HonestParts): void =>
      socket.send(mutated(Buffer.from(abi)), { binary: random(8) === 0 });
    return { code, open, blocks };
  }
  if (kind === 1) return { code, status: (socket, { status }) => socket.send(mutated(status)), blocks };
  if (kind === 2) {
    const status = (socket: WebSocket, node: HonestParts): void => socket.send(node.status, { binary: false });
    return { code, status, blocks };
  }
  return { code, blocks };
}

it(
  `a node that sends mutated frames ends only its own sessions (seed ${SEED}, ${ROUNDS} of them)`,
  async () => {
    const random = createRandom(SEED);
    const ways = Array.from({ length: ROUNDS }, () => mutatedSession(random));
    const node = await startHostileNode(openSample('leap-forks'), ways);
    const run = await chains.run({ urls: [node.url], reconnectMinSeconds: 0.01, reconnectMaxSeconds: 0.01 });
    await run.until('every session was played', () => node.connections > ROUNDS, 60_000 + ROUNDS * 200);
    await run.stop();
    await node.close();
    expect(run.failures).toEqual([]);
    expect(process.memoryUsage().rss).toBeLessThan(2 * 1024 ** 3);
  },
  120_000 + ROUNDS * 200,
);
