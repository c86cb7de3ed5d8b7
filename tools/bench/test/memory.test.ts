import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { deserializeBlock } from '@antelope-history/deserialize';
import { createShipProtocol } from '@antelope-history/ship';
import { openSample } from '@antelope-history/test-support/recordings';
import { largeState, smallBlocks } from '../src/memory/made-chains';
import { drawCurve } from '../src/memory/memory-curve';
import { SlowProxy } from '../src/memory/slow-proxy';

jest.setTimeout(60_000);

describe('the chains of the benchmark of memory', () => {
  it('have blocks of about the size that was asked for, each on the one before', () => {
    const { abi, messages } = smallBlocks(50, 1_000);
    const protocol = createShipProtocol(abi);
    messages.forEach(({ bytes, prevBlock }, index) => {
      expect(Math.abs(bytes.length - 1_000)).toBeLessThan(100);
      expect(prevBlock).toEqual(messages[index - 1]?.thisBlock);
      const result = protocol.readResult(bytes);
      if (result.kind !== 'blocks') throw new Error('no block');
      expect(deserializeBlock(result.blocks, protocol).position.num).toBe(index + 1);
    });
  });

  it('begin with a state of the size that was asked for, which has what the snapshot has', () => {
    const permissionsOf = ({ abi, messages }: ReturnType<typeof largeState>) => {
      const protocol = createShipProtocol(abi);
      const result = protocol.readResult(messages[0]?.bytes ?? Buffer.alloc(0));
      if (result.kind !== 'blocks') throw new Error('no block');
      return deserializeBlock(result.blocks, protocol).permissionChanges;
    };
    const [sample, large] = [openSample('leap-snapshot'), largeState(3_000_000)];
    expect(large.messages).toHaveLength(sample.messages.length);
    expect(large.messages[0]?.bytes.length).toBeGreaterThan(3_000_000);
    expect(permissionsOf(large)).toEqual(permissionsOf(sample));
  });
});

describe('a curve', () => {
  it('has the most of each part as a share of the limit', () => {
    expect(drawCurve([0, 0, 50, 10, 100, 100, 300, 1], 100, 4)).toBe(' ▄██');
  });
});

describe('the proxy before the store', () => {
  it('passes requests, fewer per second when it is slow, and none while it is away', async () => {
    const server = createServer((request, response) => {
      request.resume();
      request.on('end', () => response.end('stored'));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const proxy = await SlowProxy.start(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    const send = async (): Promise<number> => {
      const startedAt = performance.now();
      const response = await fetch(proxy.url, { method: 'POST', body: Buffer.alloc(100_000) });
      expect(await response.text()).toBe('stored');
      return performance.now() - startedAt;
    };
    await send();
    expect(proxy.passedBytes).toBeGreaterThan(100_000);
    proxy.bytesPerSecond = 200_000;
    expect(await send()).toBeGreaterThan(400);
    proxy.setAway(true);
    await expect(send()).rejects.toThrow();
    proxy.setAway(false);
    proxy.bytesPerSecond = Infinity;
    await send();
    await proxy.close();
    server.closeAllConnections();
    server.close();
  });
});
