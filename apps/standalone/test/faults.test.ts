import { createRecording, openSample, type Recording } from '@antelope-history/test-support/recordings';
import { Chains, untilIndexed } from './chains';

const chains = new Chains();
afterAll(() => chains.close());

/** A recording with changed or omitted (`undefined`) messages. */
function altered(recording: Recording, change: (message: Buffer, index: number) => Buffer | undefined): Recording {
  const messages = recording.messages.map(({ bytes }, index) => change(bytes, index));
  return {
    ...createRecording(
      recording.abi,
      messages.filter((message) => message !== undefined),
    ),
    chainId: recording.chainId,
  };
}

/** Mutates the number of a message's traces: the frame is complete, but its payload does not decode. */
function mutateTraces(recording: Recording, index: number): Recording {
  const at = recording.messages[index]!.traces.start;
  return altered(recording, (bytes, each) => {
    if (each !== index) return bytes;
    const mutated = Buffer.from(bytes);
    mutated[at]! ^= 0x40;
    return mutated;
  });
}

const expectGrowing = (waits: number[], maxSeconds: number): void => {
  expect(Math.max(...waits)).toBeLessThanOrEqual(maxSeconds);
  expect(waits.at(-1)).toBeGreaterThanOrEqual(maxSeconds / 2);
  expect(waits[0]).toBeLessThan(maxSeconds / 2);
};

describe('an unavailable node', () => {
  it('is retried with growing pauses and read when it is available', async () => {
    const gone = await chains.node('leap-forks');
    const { url, port } = gone;
    await gone.close();
    const data = chains.directory();
    const run = await chains.run({ urls: [url], path: data, reconnectMinSeconds: 0.01, reconnectMaxSeconds: 0.1 });
    await run.until('eight tries', () => run.waits().length >= 8);
    expectGrowing(run.waits(), 0.1);
    expect(run.log.at(-1)!.msg).toMatch(
      /^state history is interrupted: nothing listens at .*; trying again in 0\.\d s$/,
    );
    expect(await run.metric('history_ship_disconnects_total', { code: 'SHIP_DISCONNECTED' })).toBeGreaterThanOrEqual(8);
    const node = await chains.node('leap-forks', { port });
    await untilIndexed(run, node);
    await run.stop();
    expect(await chains.differences('leap-forks', data)).toEqual([]);
  });

  it('is resumed at the block where the connection was lost', async () => {
    const node = await chains.node('leap-edge');
    const data = chains.directory();
    const run = await chains.run({ urls: [node.url], path: data });
    for (const block of [60, 200, 350]) {
      await run.until(`block ${block}`, async () => (await run.committed()) >= block);
      node.refuseConnections(150);
      node.dropConnections();
    }
    await untilIndexed(run, node);
    await run.stop();
    expect(await run.metric('history_ship_disconnects_total')).toBeGreaterThanOrEqual(3);
    expect(await chains.differences('leap-edge', data)).toEqual([]);
  });

  it.each([1, 2, 3])('after every few messages delays indexing only (seed %i)', async (seed) => {
    const node = await chains.node('leap-forks', { faults: { seed, dropAfter: { min: 1, max: 40 } } });
    const data = chains.directory();
    const run = await chains.run({
      urls: [node.url],
      path: data,
      reconnectMinSeconds: 0.01,
      reconnectMaxSeconds: 0.02,
    });
    await run.until('the last block', async () => {
      const { position, length, headBlockNum } = node.stats;
      return position === length && (await run.committed()) === headBlockNum;
    });
    await run.stop();
    expect(node.stats.connections.length).toBeGreaterThan(10);
    expect(await chains.differences('leap-forks', data)).toEqual([]);
  });

  it('is replaced by the next configured node', async () => {
    const first = await chains.node('leap-edge', { position: 150 });
    const second = await chains.node('leap-edge');
    const data = chains.directory();
    const run = await chains.run({ urls: ['ws://127.0.0.1:9', first.url, second.url], path: data });
    await run.until('some blocks', async () => (await run.committed()) >= 100);
    expect(second.stats.connections.length).toBe(0);
    await first.close();
    await untilIndexed(run, second);
    await run.stop();
    expect(await chains.differences('leap-edge', data)).toEqual([]);
  });
});

describe('a corrupt message', () => {
  it.each([
    ['cut short', { truncate: [120] }],
    ['of an unknown type', { corrupt: [{ result: 120, offset: 0 }] }],
    ['with an invalid flag', { corrupt: [{ result: 120, offset: 147 }] }],
  ])('that is %s once is requested again', async (_what, faults) => {
    const node = await chains.node('leap-edge', { faults });
    const data = chains.directory();
    const run = await chains.run({ urls: [node.url], path: data });
    await untilIndexed(run, node);
    await run.stop();
    expect(await run.metric('history_ship_disconnects_total', { code: 'SHIP_MESSAGE_CORRUPT' })).toBe(1);
    const before = openSample('leap-edge').messages[118]!.thisBlock!.num;
    const warning = run.log.find(({ code }) => code === 'SHIP_MESSAGE_CORRUPT');
    expect(warning!.msg).toContain(`the message after block ${before} does not decode: `);
    expect(await chains.differences('leap-edge', data)).toEqual([]);
  });

  it('that stays corrupt is requested with growing pauses until it is valid', async () => {
    const everyOne = Array.from({ length: 10_000 }, (_, index) => 100 + index);
    const node = await chains.node('leap-forks', { faults: { truncate: everyOne } });
    const data = chains.directory();
    const run = await chains.run({ urls: [node.url], path: data, reconnectMinSeconds: 0.01, reconnectMaxSeconds: 0.1 });
    await run.until('eight tries', () => run.waits().length >= 8);
    expectGrowing(run.waits(), 0.1);
    expect(await run.metric('history_ship_disconnects_total', { code: 'SHIP_MESSAGE_CORRUPT' })).toBeGreaterThanOrEqual(
      8,
    );
    expect(await run.committed()).toBeLessThan(100);
    node.setFaults({});
    await untilIndexed(run, node);
    await run.stop();
    expect(await chains.differences('leap-forks', data)).toEqual([]);
  });

  it('whose payload does not decode becomes a dead letter and is requested with growing pauses', async () => {
    const broken = await chains.node('leap-edge', { recording: mutateTraces(openSample('leap-edge'), 150) });
    const { url, port } = broken;
    const data = chains.directory();
    const run = await chains.run({ urls: [url], path: data, reconnectMinSeconds: 0.01, reconnectMaxSeconds: 0.1 });
    const { num } = openSample('leap-edge').messages[150]!.thisBlock!;
    await run.until('the blocks before it', async () => (await run.committed()) === num - 1);
    // On a busy machine any number of tries come before the last of these blocks are committed, and each commit shortens the pauses.
    const early = run.waits().length;
    await run.until('eight tries', () => run.waits().length >= early + 8);
    expect(await run.committed()).toBe(num - 1);
    expectGrowing(run.waits(), 0.1);
    expect(await run.metric('history_corrupt_blocks_total', { code: 'DECODE_FAILED' })).toBeGreaterThanOrEqual(3);
    expect(run.log.some(({ msg }) => msg.startsWith(`block ${num}: `))).toBe(true);
    await broken.close();
    const node = await chains.node('leap-edge', { port });
    await untilIndexed(run, node);
    await run.stop();
    expect(await chains.differences('leap-edge', data)).toEqual([]);
  });
});

describe('an unusable node', () => {
  it('of another chain than the stored one is refused with an instruction', async () => {
    const node = await chains.node('leap-forks');
    const data = chains.directory();
    const first = await chains.run({ urls: [node.url], path: data });
    await untilIndexed(first, node);
    await first.stop();
    const other = await chains.node('leap-forks', { faults: { chainId: 'ab'.repeat(32) } });
    const run = await chains.run({ urls: [other.url], path: data });
    await run.until('three tries', () => run.waits().length >= 3);
    const { code, level, msg } = run.log.at(-1)!;
    expect([code, level]).toEqual(['CHAIN_ID_MISMATCH', 40]);
    expect(msg).toMatch(
      /^the node is refused: the node is on chain (ab){32}, this service indexes d4bb.*: name a node of that chain in ship\.urls, or use another store; trying again/,
    );
    const refused = { code: 'CHAIN_ID_MISMATCH' };
    expect(await run.metric('history_ship_nodes_refused_total', refused)).toBeGreaterThanOrEqual(3);
    await run.stop();
    expect(await chains.differences('leap-forks', data)).toEqual([]);
  });

  it('of another chain than the configured one is refused and the next node is read', async () => {
    const node = await chains.node('leap-forks', { faults: { chainId: 'ab'.repeat(32) } });
    const good = await chains.node('leap-forks');
    const { chainId } = openSample('leap-forks');
    const run = await chains.run({ urls: [node.url, good.url], chainId });
    await untilIndexed(run, good);
    expect(await run.metric('history_ship_nodes_refused_total', { code: 'CHAIN_ID_MISMATCH' })).toBe(1);
    await run.stop();
  });

  it('ends the start when the stored chain is not the configured one', async () => {
    const node = await chains.node('leap-forks');
    const data = chains.directory();
    const first = await chains.run({ urls: [node.url], path: data });
    await untilIndexed(first, node);
    await first.stop();
    const start = chains.run({ urls: [node.url], path: data, chainId: 'cd'.repeat(32) });
    await expect(start).rejects.toMatchObject({ code: 'CHAIN_ID_MISMATCH' });
  });

  it('whose history begins too late is replaced by a node with older blocks', async () => {
    const recording = openSample('leap-edge');
    const data = chains.directory();
    const early = await chains.node('leap-edge', { pace: 'manual', position: 100 });
    const first = await chains.run({ urls: [early.url], path: data });
    await first.until('what the node has', async () => (await first.committed()) === early.stats.headBlockNum);
    await first.stop();
    const late = await chains.node('leap-edge', {
      recording: altered(recording, (bytes, index) => (index < 300 ? undefined : bytes)),
    });
    const run = await chains.run({ urls: [late.url], path: data });
    await run.until('three tries', () => run.waits().length >= 3);
    expect(run.log.at(-1)!.msg).toMatch(
      /the node's history begins at block \d+, the next one needed is \d+: name a node in ship\.urls that has it/,
    );
    expect(await run.metric('history_ship_messages_total')).toBe(0);
    await run.stop();
    const whole = await chains.node('leap-edge');
    const last = await chains.run({ urls: [late.url, whole.url], path: data });
    await untilIndexed(last, whole);
    await last.stop();
    expect(await chains.differences('leap-edge', data)).toEqual([]);
  });

  it('that omits a block is retried with growing pauses', async () => {
    const recording = openSample('leap-forks');
    const holed = await chains.node('leap-forks', {
      recording: altered(recording, (bytes, index) => (index === 50 ? undefined : bytes)),
    });
    const { url, port } = holed;
    const data = chains.directory();
    const run = await chains.run({ urls: [url], path: data, reconnectMinSeconds: 0.01, reconnectMaxSeconds: 0.1 });
    await run.until('eight tries', () => run.waits().length >= 8);
    expectGrowing(run.waits(), 0.1);
    const { num } = recording.messages[50]!.thisBlock!;
    expect(run.log.at(-1)!.msg).toContain(`the node sent block ${num + 1} after ${num - 1}, which it does not follow`);
    expect(await run.metric('history_ship_disconnects_total', { code: 'BLOCK_GAP' })).toBeGreaterThanOrEqual(8);
    await holed.close();
    const node = await chains.node('leap-forks', { port });
    await untilIndexed(run, node);
    await run.stop();
    expect(await chains.differences('leap-forks', data)).toEqual([]);
  });

  it('with too large messages is retried and the log names the setting', async () => {
    const node = await chains.node('leap-edge');
    const run = await chains.run({ urls: [node.url], maxMessageBytes: 60_000 });
    await run.until('a try', () => run.waits().length >= 1);
    expect(run.log.at(-1)!.msg).toContain(
      'the node is refused: a message is larger than ship.max_message_bytes (60000)',
    );
    await run.stop();
  });
});
