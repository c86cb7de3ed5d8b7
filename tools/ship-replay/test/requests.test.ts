import {
  createRecording,
  openSample,
  peekBlocksResult,
  type Recording,
} from '@antelope-history/test-support/recordings';
import { createShipReplay, type ShipReplay } from '@antelope-history/ship-replay';
import fc from 'fast-check';
import { blocksRequest, ShipClient, STATUS_REQUEST } from './ship-client';

const leapEdge = openSample('leap-edge');
let replay: ShipReplay;
afterEach(() => replay.close());

describe('any bytes of a client', () => {
  it('make the server respond or cut the connection, and it serves the next client', async () => {
    replay = await createShipReplay({ recording: leapEdge, position: 'end' });
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ maxLength: 60, size: 'max' }),
        fc.integer({ min: 0, max: 3 }),
        async (bytes, tag) => {
          const client = await ShipClient.connect(replay.url);
          client.send(Buffer.from([tag, ...bytes]));
          client.send(Buffer.from(bytes));
          await client.next(2);
          client.close();
        },
      ),
      { numRuns: 100 },
    );
    const client = await ShipClient.connect(replay.url);
    client.send(STATUS_REQUEST);
    expect((await client.next())?.length).toBe(121);
    client.close();
  });

  it('cut the connection when the request is too large', async () => {
    replay = await createShipReplay({ recording: leapEdge });
    const client = await ShipClient.connect(replay.url);
    client.send(Buffer.alloc(2 ** 21));
    expect([1006, 1009]).toContain(await client.closed);
  });

  it('get 426 Upgrade Required for a plain HTTP request', async () => {
    replay = await createShipReplay({ recording: leapEdge });
    expect((await fetch(replay.url.replace('ws:', 'http:'))).status).toBe(426);
  });
});

describe('version 1 of the requests', () => {
  /** The sample behind an ABI frame with the messages that Spring added (Spring libraries/state_history/abi.cpp). */
  function withVersion1(lastField: string): Recording {
    const abi = JSON.parse(leapEdge.abi) as {
      structs: { name: string; fields: { name: string; type: string }[] }[];
      variants: { name: string; types: string[] }[];
    };
    abi.structs.push({ name: 'get_blocks_request_v1', fields: [{ name: lastField, type: 'bool' }] });
    abi.variants.find(({ name }) => name === 'request')?.types.push('get_blocks_request_v1', 'get_status_request_v1');
    abi.variants.find(({ name }) => name === 'result')?.types.push('get_blocks_result_v1', 'get_status_result_v1');
    return createRecording(
      JSON.stringify(abi),
      leapEdge.messages.map(({ bytes }) => bytes),
    );
  }

  it("Spring's blocks request is answered by version 1, without finality data", async () => {
    replay = await createShipReplay({ recording: withVersion1('fetch_finality_data') });
    const client = await ShipClient.connect(replay.url);
    client.send(blocksRequest({ tag: 3, end: 3, flags: [0, 1, 1, 1, 1] }));
    for (const { bytes } of leapEdge.messages.slice(0, 2)) {
      const frame = await client.next();
      expect(frame?.[0]).toBe(2);
      expect(frame?.subarray(73)).toEqual(Buffer.concat([bytes.subarray(73), Buffer.from([0])]));
    }
    client.close();
  });

  it("Spring's status request is answered by version 1, with an empty range of finality data", async () => {
    replay = await createShipReplay({ recording: withVersion1('fetch_finality_data') });
    const client = await ShipClient.connect(replay.url);
    client.send(STATUS_REQUEST);
    const version0 = (await client.next()) ?? Buffer.alloc(0);
    client.send(Buffer.from([4]));
    expect(await client.next()).toEqual(Buffer.concat([Buffer.from([3]), version0.subarray(1), Buffer.alloc(8)]));
    client.close();
  });

  it('are unsupported with an ABI of EOSIO 2.1, which uses the name for another request', async () => {
    replay = await createShipReplay({ recording: withVersion1('fetch_block_header') });
    const client = await ShipClient.connect(replay.url);
    client.send(blocksRequest({ tag: 3, flags: [0, 1, 1, 1, 1] }));
    expect(await client.closed).toBe(1006);
  });
});

describe('sections of a block', () => {
  it('are sent only when requested', async () => {
    replay = await createShipReplay({ recording: leapEdge, position: 'end' });
    const client = await ShipClient.connect(replay.url);
    for (let bits = 0; bits < 8; bits++) {
      const wanted = [bits & 1, (bits >> 1) & 1, (bits >> 2) & 1];
      client.send(blocksRequest({ start: 100, end: 101, flags: [0, ...wanted] }));
      const { block, traces, deltas } = peekBlocksResult((await client.next()) ?? Buffer.alloc(0));
      expect([block, traces, deltas].map(({ present }) => Number(present))).toEqual(wanted);
    }
    client.close();
  });
});

describe('blocks that the client has at or above its start', () => {
  it('are skipped by Leap, one per entry', async () => {
    replay = await createShipReplay({ recording: leapEdge, position: 'end' });
    const client = await ShipClient.connect(replay.url);
    const havePositions = leapEdge.messages.slice(9, 12).flatMap(({ thisBlock }) => thisBlock ?? []);
    client.send(blocksRequest({ start: 10, end: 15, havePositions }));
    expect((await client.results(2)).map(({ thisBlock }) => thisBlock?.num)).toEqual([13, 14]);
    client.close();
  });
});
