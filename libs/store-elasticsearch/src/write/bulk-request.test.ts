import { BulkRequest } from './bulk-request';
import { RequestBuffers } from './request-buffers';

const BLOCK = { num: 7, id: '00000007'.padEnd(64, 'a') };
const INDEX = 'actions';

function fill(request: BulkRequest, text: string, count: number): string {
  for (let id = 0; id < count; id++) request.put(INDEX, `${id}`, 1, JSON.stringify({ text }), BLOCK);
  const action = (id: number): string =>
    `{"index":{"_index":"actions","_id":"${id}","version":1,"version_type":"external"}}\n{"text":"${text}"}\n`;
  return Array.from({ length: count }, (_, id) => action(id)).join('');
}

describe('a bulk request', () => {
  it('writes into the buffer of a request that was released', () => {
    const buffers = new RequestBuffers(2);
    const first = new BulkRequest(buffers);
    // More than the first capacity, so that the buffer grows.
    expect(fill(first, 'first', 2_000)).toBe(first.body.toString());
    const { buffer } = first.body;
    first.release();
    const second = new BulkRequest(buffers);
    expect(fill(second, 'second', 1_000)).toBe(second.body.toString());
    expect(second.body.buffer).toBe(buffer);
  });

  it('shares no buffer with a request that is in use', () => {
    const buffers = new RequestBuffers(2);
    const requests = ['a', 'b', 'c'].map((text) => ({ text, request: new BulkRequest(buffers) }));
    const expected = requests.map(({ text, request }) => fill(request, text, 2_000));
    expect(requests.map(({ request }) => request.body.toString())).toEqual(expected);
    for (const { request } of requests) request.release();
    const again = requests.map(({ text }) => ({ text: text.toUpperCase(), request: new BulkRequest(buffers) }));
    const expectedAgain = again.map(({ text, request }) => fill(request, text, 2_000));
    expect(again.map(({ request }) => request.body.toString())).toEqual(expectedAgain);
  });

  it('is empty once it was released', () => {
    const request = new BulkRequest(new RequestBuffers(1));
    fill(request, 'text', 3);
    request.release();
    expect([request.count, request.bytes, request.body.length]).toEqual([0, 0, 0]);
  });
});

describe('a bulk request that is released twice', () => {
  it('gives its buffer back once', () => {
    const buffers = new RequestBuffers(2);
    const request = new BulkRequest(buffers);
    request.release();
    request.release();
    const [first, second] = [new BulkRequest(buffers), new BulkRequest(buffers)];
    const expected = [fill(first, 'first', 1), fill(second, 'second', 1)];
    expect([first.body.toString(), second.body.toString()]).toEqual(expected);
  });
});

describe('the buffers of requests', () => {
  it('keep no more than their limit', () => {
    const buffers = new RequestBuffers(1);
    buffers.give(Buffer.alloc(1));
    buffers.give(Buffer.alloc(1));
    expect(buffers.take()).toBeDefined();
    expect(buffers.take()).toBeUndefined();
  });
});
