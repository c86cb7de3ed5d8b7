import fc from 'fast-check';
import type { RecordedPosition } from '@antelope-history/test-support/recordings';
import { createShipReplay, type ShipReplay, type ShipReplayOptions } from '@antelope-history/ship-replay';
import { openSample, type RecordedMessage, type Recording, SAMPLES } from '@antelope-history/test-support/recordings';
import { blocksRequest, ShipClient, STATUS_REQUEST } from './ship-client';

const leapEdge = openSample('leap-edge');

function blockOf(message: RecordedMessage | undefined): RecordedPosition {
  if (!message?.thisBlock) throw new Error('no such message');
  return message.thisBlock;
}

/** The branch that the first `count` messages end on, by block number. */
function branchAfter(recording: Recording, count: number): Map<number, string> {
  const branch = new Map<number, string>();
  for (const message of recording.messages.slice(0, count)) applyTo(branch, blockOf(message));
  return branch;
}

/** A block with a lower number than the last removes all blocks above it, as a client must do. */
function applyTo(branch: Map<number, string>, { num, id }: RecordedPosition): void {
  for (const known of [...branch.keys()]) if (known >= num) branch.delete(known);
  branch.set(num, id);
}

let replay: ShipReplay;
const clients: ShipClient[] = [];
const serve = async (options: ShipReplayOptions): Promise<void> => void (replay = await createShipReplay(options));
const connect = async (): Promise<ShipClient> => {
  const client = await ShipClient.connect(replay.url);
  clients.push(client);
  return client;
};
afterEach(async () => {
  for (const client of clients.splice(0)) client.close();
  await replay.close();
});

describe('a client from block 1 on', () => {
  it.each(SAMPLES)('gets %s as it was recorded, forks and all', async (name) => {
    const recording = openSample(name);
    await serve({ recording });
    const client = await connect();
    expect(await client.abi).toBe(recording.abi);
    client.send(blocksRequest());
    for (const recorded of recording.messages) {
      const frame = await client.next();
      expect(frame?.subarray(73).equals(recorded.bytes.subarray(73))).toBe(true);
    }
    expect(await client.isSilent()).toBe(true);
  });

  it('receives each block as the head, with a LIB that never decreases and never exceeds the head', async () => {
    await serve({ recording: leapEdge });
    const client = await connect();
    client.send(blocksRequest());
    let lib = 0;
    for (const { head, lastIrreversible, thisBlock } of await client.results(leapEdge.messages.length)) {
      expect(head).toEqual(thisBlock);
      expect(lastIrreversible.num).toBeGreaterThanOrEqual(lib);
      expect(lastIrreversible.num).toBeLessThanOrEqual(head.num);
      lib = lastIrreversible.num;
    }
  });

  it('with irreversible_only receives no fork', async () => {
    await serve({ recording: leapEdge });
    const client = await connect();
    client.send(blocksRequest({ flags: [1, 1, 1, 1] }));
    const lib = leapEdge.messages.at(-1)?.lastIrreversible.num ?? 0;
    const final = branchAfter(leapEdge, leapEdge.messages.length);
    const results = await client.results(lib);
    expect(results.map(({ thisBlock }) => thisBlock)).toEqual(
      Array.from({ length: lib }, (_, index) => ({ num: index + 1, id: final.get(index + 1) })),
    );
    expect(await client.isSilent()).toBe(true);
  });
});

describe('a node at the end of the recording', () => {
  it('sends the final branch only, with its last head, and still responds to status requests', async () => {
    await serve({ recording: leapEdge, position: 'end' });
    const client = await connect();
    client.send(blocksRequest());
    const results = await client.results(505);
    const final = branchAfter(leapEdge, leapEdge.messages.length);
    expect(new Map(results.map(({ thisBlock }) => [thisBlock?.num, thisBlock?.id]))).toEqual(final);
    expect(results.every(({ head, lastIrreversible }) => head.num === 505 && lastIrreversible.num === 458)).toBe(true);
    expect(await client.isSilent()).toBe(true);
    client.send(STATUS_REQUEST);
    const status = await client.next();
    expect(status?.subarray(1, 73)).toEqual(leapEdge.messages.at(-1)?.bytes.subarray(1, 73));
    expect([73, 77, 81, 85].map((offset) => status?.readUInt32LE(offset))).toEqual([2, 506, 1, 506]);
  });

  it('of a node started from a snapshot begins at the snapshot block, whatever the start', async () => {
    await serve({ recording: openSample('leap-snapshot'), position: 'end' });
    const client = await connect();
    client.send(blocksRequest({ end: 43 }));
    const results = await client.results(3);
    expect(results.map(({ thisBlock }) => thisBlock?.num)).toEqual([40, 41, 42]);
    expect(results[0]?.block.present).toBe(false);
  });
});

describe('reconnecting after a fork', () => {
  const forks = leapEdge.messages.filter(
    ({ index, thisBlock }) => index > 0 && (thisBlock?.num ?? 0) <= blockOf(leapEdge.messages[index - 1]).num,
  );

  it.each(forks.map((message) => [blockOf(message).num, message.index] as const))(
    'the node goes back to block %i when have_positions name the branch that lost',
    async (forkNum, index) => {
      await serve({ recording: leapEdge, pace: 'manual', position: index });
      const held = branchAfter(leapEdge, index);
      const havePositions = [...held].map(([num, id]) => ({ num, id })).slice(-30);
      replay.advance(2);
      const client = await connect();
      client.send(blocksRequest({ start: Math.max(...held.keys()) + 1, havePositions }));
      const [first] = await client.results(1);
      expect(first?.thisBlock).toEqual(blockOf(leapEdge.messages[index]));
      expect(first?.prevBlock).toEqual({ num: forkNum - 1, id: held.get(forkNum - 1) });
    },
  );

  it('moves a restarted node to the position of the client', async () => {
    await serve({ recording: leapEdge });
    const held = branchAfter(leapEdge, 300);
    const start = Math.max(...held.keys()) + 1;
    const havePositions = [...held].map(([num, id]) => ({ num, id })).slice(-60);
    const client = await connect();
    client.send(blocksRequest({ start, havePositions }));
    const results = await client.results(leapEdge.messages.length - 300);
    expect(results.map(({ thisBlock }) => thisBlock)).toEqual(leapEdge.messages.slice(300).map(blockOf));
  });

  it('a client that is cut off at any message ends with the same chain', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ taken: fc.integer({ min: 0, max: 200 }), missed: fc.integer({ min: 0, max: 40 }) }), {
          maxLength: 6,
        }),
        async (interruptions) => {
          await serve({ recording: leapEdge });
          const branch = new Map<number, string>();
          for (const { taken, missed } of [...interruptions, { taken: Infinity, missed: 0 }]) {
            await follow(await connect(), branch, taken);
            replay.advance(missed);
          }
          expect(branch).toEqual(branchAfter(leapEdge, leapEdge.messages.length));
          await replay.close();
        },
      ),
      { numRuns: 12 },
    );
  });

  /** Reads up to `count` results, checks that each follows a known block, then disconnects. */
  async function follow(client: ShipClient, branch: Map<number, string>, count: number): Promise<void> {
    const head = Math.max(0, ...branch.keys());
    const havePositions = [...branch].map(([num, id]) => ({ num, id })).slice(-60);
    client.send(blocksRequest({ start: head + 1, credit: 1, havePositions }));
    for (let taken = 0; taken < count && branch.get(505) !== blockOf(leapEdge.messages.at(-1)).id; taken++) {
      const [result] = await client.results(1, true);
      if (!result?.thisBlock) throw new Error('a result without a block');
      if (result.prevBlock) expect(branch.get(result.prevBlock.num)).toBe(result.prevBlock.id);
      applyTo(branch, result.thisBlock);
    }
    client.close();
  }
});

describe('several clients', () => {
  it('a later client receives the current branch, then the same stream as the first', async () => {
    await serve({ recording: leapEdge, pace: 'manual', position: 60 });
    const [early, late] = [await connect(), await connect()];
    early.send(blocksRequest());
    const before = branchAfter(leapEdge, 60);
    await early.results(before.size);
    replay.advance(20);
    await early.results(20);
    late.send(blocksRequest());
    const now = branchAfter(leapEdge, 80);
    const caughtUp = await late.results(now.size);
    expect(caughtUp.map(({ thisBlock }) => thisBlock?.id)).toEqual([...now.values()]);
    replay.advance(100);
    const rest = leapEdge.messages.slice(80, 180).map(blockOf);
    for (const client of [early, late]) {
      expect((await client.results(100)).map(({ thisBlock }) => thisBlock)).toEqual(rest);
    }
  });

  it('a client without credit does not delay the others', async () => {
    await serve({ recording: leapEdge });
    const [stuck, running] = [await connect(), await connect()];
    stuck.send(blocksRequest({ credit: 3 }));
    await stuck.results(3);
    running.send(blocksRequest());
    await running.results(leapEdge.messages.length);
    expect(await stuck.isSilent()).toBe(true);
  });
});

describe('the pace', () => {
  it('a speed plays that many messages per second from the first request on', async () => {
    await serve({ recording: leapEdge, pace: 200 });
    const client = await connect();
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(replay.stats.position).toBe(1);
    const startedAt = performance.now();
    client.send(blocksRequest());
    await client.results(41);
    const elapsed = performance.now() - startedAt;
    expect(elapsed).toBeGreaterThan(190);
    expect(elapsed).toBeLessThan(5000);
  });

  it('does not advance for a client that has reached its end block', async () => {
    await serve({ recording: leapEdge });
    const client = await connect();
    client.send(blocksRequest({ end: 4 }));
    await client.results(3);
    expect(await client.isSilent()).toBe(true);
    expect(replay.stats.position).toBe(3);
  });
});
