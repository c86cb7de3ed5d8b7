import { setTimeout as sleep } from 'node:timers/promises';
import { loadConfig } from '@antelope-history/app-runtime';
import { type Misbehaviour, startHostileNode } from '@antelope-history/ship-replay';
import { openSample } from '@antelope-history/test-support/recordings';
import { fetchBlocks } from './fetch-blocks';

type WebSocket = Parameters<NonNullable<Misbehaviour['blocks']>>[0];

const SILENCE_MS = 500;
/** Of a message that takes three times as long; more than 64 KiB per second arrive. */
const PARTS = 30;
const PART_BYTES = 8 * 1024;
const { signal } = new AbortController();

/** Sends a message in parts, of which none ends it. */
async function sendSlowly(socket: WebSocket): Promise<void> {
  for (let part = 0; part < PARTS; part++) {
    socket.send(Buffer.alloc(PART_BYTES), { fin: false });
    await sleep((3 * SILENCE_MS) / PARTS);
  }
}

describe('a node whose blocks are fetched', () => {
  const recording = openSample('leap-edge');

  it('is not given up while small blocks arrive one by one', async () => {
    const range = [3, 12] as const;
    const blocks = recording.messages.filter(({ thisBlock: { num = 0 } = {} }) => num >= range[0] && num <= range[1]);
    const everyMs = SILENCE_MS / 2;
    const send = async (socket: WebSocket): Promise<void> => {
      for (const { bytes } of blocks) {
        await sleep(everyMs);
        socket.send(bytes);
      }
    };
    const node = await startHostileNode(recording, [{ code: 'none', blocks: (socket) => void send(socket) }]);
    const { ship } = loadConfig({});
    const fetched: number[] = [];
    for await (const { position } of fetchBlocks(
      { ship, url: node.url, chainId: undefined, signal },
      [...range],
      SILENCE_MS,
    ))
      fetched.push(position.num);
    await node.close();
    expect(fetched).toEqual(blocks.map(({ thisBlock }) => thisBlock?.num));
  });

  /** Milliseconds until the node is given up. */
  async function giveUp(way: Misbehaviour): Promise<number> {
    const node = await startHostileNode(recording, [way]);
    const begin = performance.now();
    const { ship } = loadConfig({});
    const blocks = fetchBlocks({ ship, url: node.url, chainId: undefined, signal }, [3, 10], SILENCE_MS);
    await expect(blocks.next()).rejects.toMatchObject({ code: way.code });
    await node.close();
    return performance.now() - begin;
  }

  it('is given up when it sends nothing for the limit', async () => {
    const code = 'SHIP_SILENT';
    expect(await giveUp({ code, blocks: () => undefined })).toBeGreaterThanOrEqual(SILENCE_MS);
  });

  it('is not waited for after an interruption, before it or during it', async () => {
    const interruption = new AbortController();
    const silent = await startHostileNode(recording, [{ code: 'none', blocks: () => interruption.abort() }]);
    const { ship } = loadConfig({});
    const source = { ship, url: silent.url, chainId: undefined, signal: interruption.signal };
    for (const when of ['during', 'before']) {
      const blocks = fetchBlocks(source, [3, 10]);
      await expect(blocks.next().then(() => when)).rejects.toMatchObject({ code: 'STOPPED' });
    }
    await silent.close();
  });

  it('is not given up while a large block arrives', async () => {
    let hasSent = false;
    await giveUp({
      // It hangs up after the parts.
      code: 'SHIP_DISCONNECTED',
      blocks: (socket) => {
        void sendSlowly(socket).then(() => {
          hasSent = true;
          socket.terminate();
        });
      },
    });
    expect(hasSent).toBe(true);
  });
});
