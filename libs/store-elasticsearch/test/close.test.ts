import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { describeWithService } from '@antelope-history/servers';
import { SyntheticChain } from '@antelope-history/store/contract';
import { TemporaryStore } from './temporary-store';

/** A proxy that forwards bytes until it is told to hold them back. */
async function startGate(target: URL) {
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      from.on('error', () => to.destroy());
      from.pipe(to);
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    hold: () => sockets.forEach((socket) => socket.unpipe().pause()),
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

describeWithService(['elasticsearch'], (url) => {
  let temporary: TemporaryStore;
  let gate: Awaited<ReturnType<typeof startGate>>;
  beforeEach(async () => {
    temporary = await TemporaryStore.open(url);
    gate = await startGate(new URL(url));
  });
  afterEach(async () => {
    gate.close();
    await temporary.dispose();
  });

  it('closes within seconds when the cluster does not respond to a write', async () => {
    const store = await temporary.openWriter({ urls: [gate.url] });
    const blocks = new SyntheticChain()
      .blocks(undefined, [{ transactions: [], abis: [], permissions: [] }])
      .map((block) => ({ ...block, streamPosition: { epoch: 1, sequence: 1 } }));
    gate.hold();
    const written = store.writeBlocks(blocks).catch((error: unknown) => error);
    await sleep(100);
    const startedAt = performance.now();
    await store.close();
    expect(performance.now() - startedAt).toBeLessThan(4_000);
    gate.close();
    expect(await written).toMatchObject({ code: 'STORE_UNAVAILABLE' });
  });
});
