import { randomUUID } from 'node:crypto';
import { Client } from '@elastic/elasticsearch';
import { HistoryError } from '@antelope-history/schemas';
import { describeWithService } from '@antelope-history/servers';
import type { BulkRequest } from '../src/write/bulk-request';
import { BulkWriter, ConflictError } from '../src/write/bulk-writer';
import { FaultyServer, operationsOf, type Fault } from './faulty-server';

const BLOCK = { num: 7, id: '00000007'.padEnd(64, 'a') };

describeWithService(['elasticsearch'], (url) => {
  const index = `bulk-${randomUUID()}`;
  const direct = new Client({ node: url });
  let server: FaultyServer;
  let client: Client;
  let writer: BulkWriter;

  beforeAll(async () => {
    const mappings = { dynamic: false, properties: { count: { type: 'integer' } } } as const;
    await direct.indices.create({ index, mappings, settings: { number_of_replicas: 0 } });
  });
  afterAll(async () => {
    await direct.indices.delete({ index });
    await direct.close();
  });
  beforeEach(async () => {
    server = await FaultyServer.start(url);
    client = new Client({ node: server.url, requestTimeout: 2_000 });
    writer = new BulkWriter(client, 2);
  });
  afterEach(async () => {
    await client.close();
    await server.stop();
  });

  function requestOf(ids: readonly string[], version = 1): BulkRequest {
    const request = writer.newRequest();
    for (const id of ids) request.put(index, id, version, JSON.stringify({ count: id.length }), BLOCK);
    return request;
  }

  /** The documents of each bulk request. */
  function sent(): string[][] {
    const idOf = (operation: string): string => /"_id":"([^"]*)"/.exec(operation)?.[1] ?? '';
    return server.seen.map(({ body }) => operationsOf(body).map(idOf));
  }

  /** Whether each bulk request asked for the results of its operations. */
  function listsRequested(): boolean[] {
    return server.seen.map(({ path }) => path.includes('items'));
  }

  async function expectStored(ids: readonly string[], version = 1): Promise<void> {
    const { docs } = await direct.mget({ index, ids: [...ids] });
    expect(docs).toMatchObject(ids.map((_id) => ({ _id, _version: version, found: true })));
  }

  function inject(...faults: Fault[]): void {
    server.fault = () => faults.shift() ?? 'none';
  }

  it('ends only when the requests have ended that were sent before one could not be made', async () => {
    const { arrived, resume } = server.suspend(() => true);
    async function* requests(): AsyncGenerator<BulkRequest> {
      yield requestOf(['e1']);
      await arrived;
      throw new Error('no second request');
    }
    const ended = jest.fn();
    const writing = writer.write(requests()).finally(ended);
    await arrived;
    await direct.count({ index });
    expect(ended).not.toHaveBeenCalled();
    resume();
    await expect(writing).rejects.toThrow('no second request');
    await expectStored(['e1']);
  });

  it.each([500, 502, 507])('retries a request that the server fails with status %i', async (status) => {
    inject({ status });
    await writer.write([requestOf([`f${status}`])]);
    await expectStored([`f${status}`]);
  });

  it('retries the operations that the server had no room for, and no others', async () => {
    inject({ takes: (index) => index < 2 }, { takes: (index) => index % 2 === 0 }, { takes: () => false });
    await writer.write([requestOf(['a1', 'a2', 'a3', 'a4', 'a5'])]);
    expect(sent()).toEqual([
      ['a1', 'a2', 'a3', 'a4', 'a5'],
      ['a1', 'a2', 'a3', 'a4', 'a5'],
      ['a2', 'a4'],
      ['a2', 'a4'],
    ]);
    await expectStored(['a1', 'a2', 'a3', 'a4', 'a5']);
  });

  it('requests the result of each operation only after one has failed', async () => {
    await writer.write([requestOf(['j1', 'j2'])]);
    expect(listsRequested()).toEqual([false]);
    inject({ takes: () => false }, { status: 429 });
    await writer.write([requestOf(['j3', 'j4'])]);
    expect(listsRequested()).toEqual([false, false, true, true]);
    await writer.write([requestOf(['j1', 'j2'])]);
    expect(listsRequested().slice(4)).toEqual([false, true]);
    await expectStored(['j1', 'j2', 'j3', 'j4']);
  });

  it('retries only what a server rejected of a request that fails on conflicts', async () => {
    inject({ takes: (index) => index !== 1 });
    const request = requestOf(['l1', 'l2', 'l3']);
    request.failsOnConflict = true;
    await writer.write([request]);
    expect(sent()).toEqual([['l1', 'l2', 'l3'], ['l2']]);
    await expectStored(['l1', 'l2', 'l3']);
  });

  it('fails a request that fails on conflicts when a document exists', async () => {
    await writer.write([requestOf(['m2'], 5)]);
    const request = requestOf(['m1', 'm2'], 4);
    request.failsOnConflict = true;
    await expect(writer.write([request])).rejects.toBeInstanceOf(ConflictError);
    await expectStored(['m2'], 5);
  });

  it('sends all again when a list leaves an operation out', async () => {
    inject({ takes: () => false }, 'item missing');
    await writer.write([requestOf(['k1', 'k2'])]);
    expect(sent()).toEqual([
      ['k1', 'k2'],
      ['k1', 'k2'],
      ['k1', 'k2'],
    ]);
    await expectStored(['k1', 'k2']);
  });

  it.each<[string, Fault]>([
    ['is busy', { status: 429 }],
    ['is not there', { status: 503 }],
    ['goes away before it took it', 'cut before'],
    ['goes away after it took it', 'cut after'],
    ['does not respond', 'silence'],
    ['does not say whether an operation failed', 'empty response'],
  ])('sends all again when the server %s', async (_what, fault) => {
    inject(fault);
    const ids = ['b1', 'b2'].map((id) => id + JSON.stringify(fault).replace(/\W/g, ''));
    await writer.write([requestOf(ids)]);
    expect(sent()).toEqual([ids, ids]);
    await expectStored(ids);
  });

  it('writes every document of requests that use the same memory one after another', async () => {
    const ids = Array.from({ length: 40 }, (_, number) => `i${number}`);
    function* requests(): Generator<BulkRequest> {
      for (const id of ids) yield requestOf([id, `${id}-${'x'.repeat(400)}`]);
    }
    inject({ takes: (index) => index === 0 }, 'cut after', 'item missing', 'empty response', { status: 503 });
    await writer.write(requests());
    await expectStored(ids.flatMap((id) => [id, `${id}-${'x'.repeat(400)}`]));
  });

  it('halves a request that is too large for the server', async () => {
    server.fault = ({ body }) => (operationsOf(body).length > 2 ? { status: 413 } : 'none');
    const ids = ['c1', 'c2', 'c3', 'c4', 'c5', 'c6', 'c7'];
    await writer.write([requestOf(ids)]);
    expect(sent().filter(({ length }) => length <= 2)).toEqual([['c1', 'c2'], ['c3', 'c4'], ['c5', 'c6'], ['c7']]);
    await expectStored(ids);
  });

  it('names the block of a single document that is too large', async () => {
    server.fault = () => ({ status: 413 });
    await expect(writer.write([requestOf(['d1'])])).rejects.toMatchObject({
      code: 'BLOCK_REFUSED',
      message: expect.stringContaining(`${index} refuses a document of block 7 ${BLOCK.id}`) as string,
    });
  });

  it('names the block of a document that does not fit the mapping, and writes the rest of its request', async () => {
    const request = requestOf(['e1']);
    request.put(index, 'e2', 1, '{"count":"many"}', { num: 8, id: 'x' });
    request.put(index, 'e3', 1, '{"count":1}', BLOCK);
    await expect(writer.write([request])).rejects.toMatchObject({
      code: 'BLOCK_REFUSED',
      message: expect.stringMatching(/of block 8 x: document_parsing_exception/) as string,
    });
    await expectStored(['e1', 'e3']);
  });

  it('keeps a document of a higher version', async () => {
    await writer.write([requestOf(['f1', 'f2'], 5)]);
    await writer.write([requestOf(['f1', 'f2'], 4)]);
    await writer.write([requestOf(['f2', 'f3'], 5)]);
    await expectStored(['f1', 'f2', 'f3'], 5);
  });

  it('runs the configured number of requests at once, and takes no further one meanwhile', async () => {
    let waiting = 0;
    let most = 0;
    server.fault = () => 'none';
    function* requests(): Generator<BulkRequest> {
      for (let number = 0; number < 12; number++) {
        waiting++;
        most = Math.max(most, waiting - server.seen.length);
        yield requestOf([`g${number}`]);
      }
    }
    await writer.write(requests());
    expect(server.seen).toHaveLength(12);
    // The two in progress may not have arrived yet, and one more is built while it waits.
    expect(most).toBeLessThanOrEqual(3);
  });

  it('rejects at once when it is stopped', async () => {
    server.fault = () => ({ status: 429 });
    const writing = writer.write([requestOf(['h1'])]);
    writing.catch(() => undefined);
    await new Promise((resolve) => setTimeout(resolve, 200));
    writer.stop();
    await expect(writing).rejects.toBeInstanceOf(HistoryError);
    await expect(writing).rejects.toMatchObject({ code: 'STOPPED' });
  });
});
