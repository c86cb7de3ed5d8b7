import { openSample, peekBlocksResult } from '@antelope-history/test-support/recordings';
import { createShipReplay, type ReplayFaults, type ShipReplay } from '@antelope-history/ship-replay';
import { blocksRequest, ShipClient, STATUS_REQUEST } from './ship-client';

const recording = openSample('leap-edge');
let replay: ShipReplay;
const serve = async (faults: ReplayFaults): Promise<void> => {
  replay = await createShipReplay({ recording, faults, position: 'end' });
};
afterEach(() => replay.close());

/** The frames of one connection until it is cut, at most `count`. */
async function take(count: number): Promise<{ frames: Buffer[]; code: number | undefined }> {
  const client = await ShipClient.connect(replay.url);
  client.send(blocksRequest());
  const frames: Buffer[] = [];
  while (frames.length < count) {
    const frame = await client.next();
    if (!frame) break;
    frames.push(frame);
  }
  const code = frames.length < count ? await client.closed : undefined;
  client.close();
  return { frames, code };
}

const isWhole = (frame: Buffer | undefined, num: number): boolean =>
  frame?.subarray(73).equals(recording.messages[num - 1]?.bytes.subarray(73) ?? frame) ?? false;

describe('injected faults', () => {
  it('cuts each connection after a number of results', async () => {
    await serve({ dropAfter: 7 });
    for (let connection = 0; connection < 2; connection++) {
      const { frames, code } = await take(20);
      expect([frames.length, code]).toEqual([7, 1006]);
    }
  });

  it('cuts a connection only after all sent bytes have left, however many', async () => {
    replay = await createShipReplay({ recording: openSample('leap-snapshot'), faults: { dropAfter: 1 } });
    const { frames, code } = await take(2);
    expect([frames.map((frame) => frame.length), code]).toEqual([[42108], 1006]);
  });

  it('draws the same numbers from a range for the same seed', async () => {
    const drawn = async (seed: number): Promise<number[]> => {
      await serve({ seed, dropAfter: { min: 1, max: 50 } });
      const counts = [];
      for (let connection = 0; connection < 4; connection++) counts.push((await take(100)).frames.length);
      await replay.close();
      return counts;
    };
    const first = await drawn(5);
    expect(new Set(first).size).toBeGreaterThan(1);
    expect(await drawn(5)).toEqual(first);
    expect(await drawn(6)).not.toEqual(first);
    await serve({});
  });

  it('truncates results and inverts bytes only where configured', async () => {
    await serve({ truncate: [3], corrupt: [{ result: 5, offset: 0 }, { result: 6 }] });
    const { frames } = await take(8);
    expect(frames.map((frame, index) => isWhole(frame, index + 1))).toEqual([
      true,
      true,
      false,
      true,
      true,
      expect.any(Boolean),
      true,
      true,
    ]);
    expect(() => peekBlocksResult(frames[2] ?? Buffer.alloc(0))).toThrow();
    expect(frames[4]?.[0]).toBe(1 ^ 0xff);
    const clean = (await take(6)).frames[5];
    expect(frames[5]?.filter((byte, offset) => byte !== clean?.[offset])).toHaveLength(1);
  });

  it('waits between results', async () => {
    await serve({ delayMs: 20 });
    const startedAt = performance.now();
    await take(6);
    expect(performance.now() - startedAt).toBeGreaterThan(95);
  });

  it('reports another chain id', async () => {
    await serve({ chainId: 'ab'.repeat(32) });
    const client = await ShipClient.connect(replay.url);
    client.send(STATUS_REQUEST);
    expect((await client.next())?.toString('hex', 89)).toBe('ab'.repeat(32));
    replay.setFaults({});
    client.send(STATUS_REQUEST);
    expect((await client.next())?.toString('hex', 89)).toBe(recording.chainId);
    client.close();
  });

  it('refuses connections for a time', async () => {
    await serve({});
    replay.refuseConnections(1_500);
    await expect(ShipClient.connect(replay.url)).rejects.toThrow('1006');
    await new Promise((resolve) => setTimeout(resolve, 1_550));
    (await ShipClient.connect(replay.url)).close();
  });

  it('cuts all connections at once', async () => {
    await serve({});
    const clients = [await ShipClient.connect(replay.url), await ShipClient.connect(replay.url)];
    replay.dropConnections();
    expect(await Promise.all(clients.map((client) => client.closed))).toEqual([1006, 1006]);
  });
});
