import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import type { Request } from 'express';
import { queryOf, UpstreamRequest } from './upstream-request';

describe('the request to an upstream', () => {
  function requestWith(headers: IncomingMessage['headers'], url = '/'): Request {
    const request = new IncomingMessage(new Socket());
    return Object.assign(request, { method: 'POST', url, headers, body: Buffer.alloc(0) }) as unknown as Request;
  }

  it('has headers of short printable text only', () => {
    const attempt = { endsAt: 0, repeat: undefined, isFirst: true };
    const headersFor = (value: string) =>
      new UpstreamRequest(requestWith({ 'content-type': value, 'content-encoding': 'gzip' }), '/', attempt).headers;
    const others = { 'content-encoding': 'gzip', 'content-length': '0' };
    expect(headersFor('x'.repeat(256))).toEqual({ ...others, 'content-type': 'x'.repeat(256) });
    for (const value of ['', 'x'.repeat(257), 'te\xe9xt', 'te\txt', 'te\x7fxt'])
      expect(headersFor(value)).toEqual(others);
  });

  it.each([
    ['/v1/chain/get_info', ''],
    ['/v1/chain/get_info?', '?'],
    ['/v1/chain/get_info?a=b?c', '?a=b?c'],
    ['/v1/chain/get_info?a=b#c?d', '?a=b'],
    ['/v1/chain/get_info#a?b', ''],
  ])('has the query of %s without a fragment', (url, query) => {
    expect(queryOf(requestWith({}, url))).toBe(query);
  });
});
