import { createRandom, mutate, type Random, testSize } from '@antelope-history/test-support/random';
import { openSample } from '@antelope-history/test-support/recordings';
import { startHostileNode, type HonestParts, type Misbehaviour } from '@antelope-history/ship-replay';
import { Chains } from './chains';

/** Sessions; `FUZZ_ROUNDS` for a longer run, `FUZZ_SEED` to see one again. */
const ROUNDS = Number(process.env['FUZZ_ROUNDS'] ?? testSize({ usual: 8_000, long: 20_000 })) / 100;
const SEED = Number(process.env['FUZZ_SEED'] ?? Date.now() % 1_000_000_000);

const chains = new Chains();
afterAll(() => chains.close());

type WebSocket = Parameters<NonNullable<Misbehaviour['open']>>[0];

/** A session in which one frame, or some of the blocks, are spoiled; it ends with an empty message at the latest. */
function spoiledSession(random: Random): Misbehaviour {
  const kind = random(6);
  const spoiled = (frame: Buffer): Buffer => mutate([frame], random);
  const end = (socket: WebSocket): void => socket.send(Buffer.alloc(0));
  const blocks = (socket: WebSocket, node: HonestParts): void => {
    const from = random(node.blocks.length);
    for (const block of node.blocks.slice(from, from + random(8)))
      socket.send(random(3) === 0 ? spoiled(block) : block);
    end(socket);
  };
  const code = 'any';
  if (kind === 0) {
    const open = (socket: WebSocket, { abi }: HonestParts): void =>
      socket.send(spoiled(Buffer.from(abi)), { binary: random(8) === 0 });
    return { code, open, blocks };
  }
  if (kind === 1) return { code, status: (socket, { status }) => socket.send(spoiled(status)), blocks };
  if (kind === 2) {
    const status = (socket: WebSocket, node: HonestParts): void => socket.send(node.status, { binary: false });
    return { code, status, blocks };
  }
  return { code, blocks };
}

it(
  `a node that spoils frames ends no more than its sessions (seed ${SEED}, ${ROUNDS} of them)`,
  async () => {
    const random = createRandom(SEED);
    const ways = Array.from({ length: ROUNDS }, () => spoiledSession(random));
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
