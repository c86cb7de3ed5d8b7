import {
  createRecording,
  openSample,
  type BlocksResult,
  type Recording,
} from '@antelope-history/test-support/recordings';
import { createShipReplay, type ShipReplay } from '@antelope-history/ship-replay';
import fc from 'fast-check';
import { acknowledge, blocksRequest, ShipClient, STATUS_REQUEST } from './ship-client';

let replay: ShipReplay;
let client: ShipClient;
afterEach(async () => {
  client.close();
  await replay.close();
});

const connect = async (
  recording: Recording,
  options: { maxBufferedBytes?: number; pace?: 'manual' } = {},
): Promise<void> => {
  replay = await createShipReplay({ recording, ...options });
  client = await ShipClient.connect(replay.url);
};
const stats = (): ShipReplay['stats']['connections'][number] => {
  const [first] = replay.stats.connections;
  if (!first) throw new Error('nobody connected');
  return first;
};
const until = async (isTrue: () => boolean): Promise<void> => {
  for (const deadline = Date.now() + 60_000; !isTrue(); await new Promise((resolve) => setTimeout(resolve, 5))) {
    if (Date.now() > deadline) throw new Error('did not happen within a minute');
  }
};

/** Waits until the server is idle, and returns the number of results that it sent. */
const sentAtRest = async (): Promise<number> => {
  for (let sent = -1; ; await new Promise((resolve) => setTimeout(resolve, 50))) {
    if (sent === stats().sent) return sent;
    sent = stats().sent;
  }
};

describe('credit', () => {
  it('is never exceeded, and used up entirely', async () => {
    const recording = openSample('leap-edge');
    await fc.assert(
      fc.asyncProperty(
        fc.nat({ max: 30 }),
        fc.array(fc.nat({ max: 30 }), { maxLength: 12 }),
        async (credit, acknowledgements) => {
          await connect(recording);
          client.send(blocksRequest({ credit }));
          await client.results(credit);
          let allowed = credit;
          for (const messages of acknowledgements) {
            allowed += messages;
            client.send(acknowledge(messages));
            await client.results(messages);
            expect(await client.isSilent(5)).toBe(true);
            expect(stats()).toMatchObject({ sent: allowed, acknowledged: allowed - credit, credit: 0 });
          }
          client.close();
          await replay.close();
        },
      ),
      { numRuns: 25 },
    );
  });

  it('does not survive a second request', async () => {
    await connect(openSample('leap-edge'));
    client.send(blocksRequest({ credit: 100, end: 3 }));
    await client.results(2);
    client.send(blocksRequest({ credit: 2 }));
    await client.results(2);
    expect(await client.isSilent()).toBe(true);
  });

  it('of a replaced request is void, whatever the node does for the new one', async () => {
    await connect(openSample('eosio20-edge'));
    client.send(blocksRequest({ end: 3 }));
    await client.results(2);
    client.send(blocksRequest({ start: 100, credit: 2 }));
    const results = await client.results(2);
    expect(results.map(({ head, thisBlock }) => [head.num, thisBlock?.num])).toEqual([
      [99, undefined],
      [100, 100],
    ]);
  });

  /** A client that has the last block before a fork, and gets credit again only when the new branch is longer. */
  async function meetForkWithoutCredit(
    recording: Recording,
  ): Promise<{ held: BlocksResult; next: BlocksResult; forkNum: number }> {
    const nums = recording.messages.map(({ thisBlock }) => thisBlock?.num ?? 0);
    const fork = nums.findIndex((num, index) => num <= (nums[index - 1] ?? 0));
    const [forkNum = 0, heldNum = 0] = [nums[fork], nums[fork - 1]];
    await connect(recording, { pace: 'manual' });
    replay.advance(fork - 1);
    client.send(blocksRequest({ start: heldNum, credit: 1 }));
    const [held] = await client.results(1);
    replay.advance(heldNum - forkNum + 2);
    client.send(acknowledge(1));
    const [next] = await client.results(1);
    if (!held || !next) throw new Error('too few results');
    return { held, next, forkNum };
  }

  it('a Leap client without credit misses a fork below its cursor', async () => {
    const { held, next } = await meetForkWithoutCredit(openSample('leap-edge'));
    expect(next.prevBlock?.num).toBe(held.thisBlock?.num);
    expect(next.prevBlock?.id).not.toBe(held.thisBlock?.id);
  });

  it('an EOSIO 2.0 client without credit is set back by a fork', async () => {
    const packed = openSample('leap-edge').messages.map(({ bytes }) => bytes);
    const { next, forkNum } = await meetForkWithoutCredit(createRecording(openSample('eosio20-edge').abi, packed));
    expect(next.thisBlock?.num).toBe(forkNum);
  });
});

describe('a client that does not read', () => {
  const MAX_BUFFERED = 1024 * 1024;
  const MESSAGE_BYTES = 256 * 1024;

  it('receives no more than the limit, and everything once it reads', async () => {
    const recording = bigRecording(200, MESSAGE_BYTES);
    await connect(recording, { maxBufferedBytes: MAX_BUFFERED });
    client.socket.pause();
    client.send(blocksRequest());
    await until(() => stats().sent > 0);
    expect(await sentAtRest()).toBeLessThan(recording.messages.length);
    expect(stats().bufferedBytes).toBeLessThan(MAX_BUFFERED + 2 * MESSAGE_BYTES);
    client.socket.resume();
    const results = await client.results(recording.messages.length);
    expect(results.map(({ thisBlock }) => thisBlock?.num)).toEqual(recording.messages.map((_, index) => index + 1));
  });

  it('can not make the server buffer its responses', async () => {
    const requests = 300_000;
    await connect(openSample('leap-edge'), { maxBufferedBytes: MAX_BUFFERED });
    client.socket.pause();
    for (let request = 0; request < requests; request++) client.send(STATUS_REQUEST);
    await until(() => stats().statusRequests > 0);
    for (let seen = -1; seen !== stats().statusRequests; await new Promise((resolve) => setTimeout(resolve, 100))) {
      seen = stats().statusRequests;
    }
    expect(stats().statusRequests).toBeLessThan(requests);
    expect(stats().bufferedBytes).toBeLessThan(3 * MAX_BUFFERED);
  });

  it('is removed when it disconnects', async () => {
    await connect(bigRecording(200, MESSAGE_BYTES), { maxBufferedBytes: MAX_BUFFERED });
    client.socket.pause();
    client.send(blocksRequest());
    await sentAtRest();
    client.close();
    await until(() => !stats().open);
  });
});

/** Blocks 1 to `count` with traces of `size` bytes, all the same. */
function bigRecording(count: number, size: number): Recording {
  const position = (num: number): Buffer => {
    const packed = Buffer.alloc(36);
    packed.writeUInt32LE(num, 0);
    packed.writeUInt32BE(num, 4);
    return packed;
  };
  const length = Buffer.from([(size & 0x7f) | 0x80, ((size >> 7) & 0x7f) | 0x80, size >> 14]);
  const present = Buffer.from([1]);
  const messages = Array.from({ length: count }, (_, index) => {
    const num = index + 1;
    const opening = [present, position(num), position(num), present, position(num), present, position(num - 1)];
    return Buffer.concat([...opening, Buffer.alloc(1), present, length, Buffer.alloc(size), Buffer.alloc(1)]);
  });
  return { ...createRecording(openSample('leap-edge').abi, messages), chainId: '00'.repeat(32) };
}
