import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { ROUTES } from '@antelope-history/routes';
import { CheckedClient } from '../src';

const PATH = ROUTES.getActions.path;
const BODY = { account_name: 'alice', pos: 3, offset: 2 };
const JSON_BODY = JSON.stringify(BODY);
const LIMIT = 64 * 1024;
const NODE_REQUEST_ERROR = { code: 3200006, name: 'invalid_http_request' };

/** Declares the tests of accepted and refused bodies. `url` returns the URL of a gateway that serves leap-edge. */
export function describeRequests(url: () => string): void {
  let client: CheckedClient;
  let expected: string;

  beforeAll(async () => {
    client = new CheckedClient(url());
    expected = (await client.post(PATH, BODY)).text;
  });

  /** Status, code and name of an error. */
  async function refusalOf(body: unknown, headers: Record<string, string> = {}) {
    const { status, json } = await client.post(PATH, body, headers);
    const { code, error } = json as { code: number; error: { code: number; name: string } };
    expect(code).toBe(status);
    return { status, code: error.code, name: error.name };
  }

  it('of the reference request select two rows', () => {
    expect((JSON.parse(expected) as { actions: unknown[] }).actions).toHaveLength(2);
  });

  it.each([
    'application/json',
    'application/json; charset=utf-8',
    'application/json; charset=latin1',
    'application/json; charset=nonsense',
    'application/vnd.api+json',
    'text/plain;charset=UTF-8',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/octet-stream',
    'text/html',
    'no content type at all',
  ])('are read as JSON when the content type is %s', async (type) => {
    expect((await client.post(PATH, JSON_BODY, { 'content-type': type })).text).toBe(expected);
  });

  it('are read as JSON when there is no content type', async () => {
    const bytes = new Uint8Array(Buffer.from(JSON_BODY));
    expect((await client.send('POST', PATH, { body: bytes })).text).toBe(expected);
  });

  it.each([
    ['numbers as strings', '{"account_name":"alice","pos":"3","offset":"2"}'],
    [
      'unknown fields',
      '{"account_name":"alice","pos":3,"offset":2,"json":true,"extra":{"c":[1]},"__proto__":{"offset":9}}',
    ],
    [
      'null in the place of absent fields',
      '{"account_name":"alice","pos":3,"offset":2,"filter":null,"after":null,"sort":null}',
    ],
    [
      'a duplicate key, of which the last value counts',
      '{"account_name":"bob","offset":9,"account_name":"alice","pos":3,"offset":2}',
    ],
    ['an escaped key', '{"account\\u005fname":"alice","pos":3,"offset":2}'],
    ['white space', `\r\n\t ${JSON_BODY} \n`],
    ['a byte order mark', `\uFEFF${JSON_BODY}`],
    ['an integer with a fraction of zero or an exponent', '{"account_name":"alice","pos":3.0,"offset":2e0}'],
  ])('may have %s', async (_, body) => {
    expect((await client.post(PATH, body)).text).toBe(expected);
  });

  it.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
  ])('may be compressed with %s', async (encoding, pack) => {
    const init = { body: new Uint8Array(pack(JSON_BODY)), headers: { 'content-encoding': encoding } };
    expect((await client.send('POST', PATH, init)).text).toBe(expected);
  });

  it('may have a content encoding without a value, and one without a body', async () => {
    const init = { body: JSON_BODY, headers: { 'content-encoding': '' } };
    expect((await client.send('POST', PATH, init)).text).toBe(expected);
    const empty = await client.send('POST', PATH, { headers: { 'content-encoding': 'gzip' } });
    expect(empty.text).toBe((await client.post(PATH, {})).text);
  });

  it('may be chunked, without a length', async () => {
    const pieces = new ReadableStream({
      async start(controller) {
        for (const character of JSON_BODY) {
          controller.enqueue(Buffer.from(character));
          await new Promise((resolve) => setImmediate(resolve));
        }
        controller.close();
      },
    });
    expect((await client.send('POST', PATH, { body: pieces, duplex: 'half' })).text).toBe(expected);
  });

  it('are read the same with a trailing slash in the path, and with a query, which is ignored', async () => {
    expect((await client.post(`${PATH}/`, BODY)).text).toBe(expected);
    expect((await client.post(`${PATH}?offset=9`, BODY)).text).toBe(expected);
    expect((await client.post(`${PATH}//`, BODY)).status).toBe(404);
    expect((await client.post(PATH.toUpperCase(), BODY)).status).toBe(404);
  });

  it('are read as {} when they are empty', async () => {
    const empty = await client.send('POST', PATH);
    expect(empty.text).toBe((await client.post(PATH, {})).text);
    expect((empty.json as { actions: unknown[] }).actions).toHaveLength(20);
  });

  it.each([
    '{',
    'null',
    'true',
    '5',
    '"x"',
    '[]',
    '[{}]',
    'account_name=alice',
    '{"pos":1,}',
    "{'pos':1}",
    '{"pos":NaN}',
    ' ',
  ])('are refused when they are not a JSON object: %s', async (body) => {
    expect(await refusalOf(body)).toEqual({ status: 400, ...NODE_REQUEST_ERROR });
  });

  it('are refused when they are not UTF-8', async () => {
    const body = new Uint8Array(Buffer.concat([Buffer.from('{"x":"'), Buffer.from([0xff, 0xc0]), Buffer.from('"}')]));
    expect((await client.send('POST', PATH, { body })).status).toBe(400);
    const utf16 = new Uint8Array(Buffer.from(JSON_BODY, 'utf16le'));
    const headers = { 'content-type': 'application/json; charset=utf-16' };
    expect((await client.send('POST', PATH, { body: utf16, headers })).status).toBe(400);
  });

  it('have at most 64 KiB', async () => {
    const filled = (bytes: number) => JSON_BODY.replace('{', `{"x":"${'y'.repeat(bytes - JSON_BODY.length - 7)}",`);
    expect(filled(LIMIT)).toHaveLength(LIMIT);
    expect((await client.post(PATH, filled(LIMIT))).text).toBe(expected);
    const tooLarge = { status: 413, code: 0, name: 'body_too_large' };
    expect(await refusalOf(filled(LIMIT + 1))).toEqual(tooLarge);
    expect(await refusalOf(filled(5_000_000))).toEqual(tooLarge);
  });

  it('have at most 64 KiB after decompression', async () => {
    const body = new Uint8Array(gzipSync(Buffer.alloc(50_000_000, ' ')));
    const { status } = await client.send('POST', PATH, { body, headers: { 'content-encoding': 'gzip' } });
    expect(status).toBe(413);
  });

  it.each([
    ['an unknown content encoding', { 'content-encoding': 'compress' }],
    ['bytes that are invalid in their content encoding', { 'content-encoding': 'gzip' }],
  ])('are refused with %s', async (_, headers) => {
    expect(await refusalOf(JSON_BODY, headers)).toEqual({ status: 400, ...NODE_REQUEST_ERROR });
  });

  it('may be nested to any depth within the size limit', async () => {
    const depth = 30_000;
    const nested = `${'['.repeat(depth)}${']'.repeat(depth)}`;
    expect((await client.post(PATH, JSON_BODY.replace('{', `{"x":${nested},`))).text).toBe(expected);
    for (const field of ['account_name', 'pos', 'offset', 'filter', 'sort', 'after', 'before', 'parent']) {
      expect(await refusalOf(`{"${field}":${nested}}`)).toEqual({ status: 400, ...NODE_REQUEST_ERROR });
      const objects = `${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`;
      expect(await refusalOf(`{"${field}":${objects}}`)).toEqual({ status: 400, ...NODE_REQUEST_ERROR });
    }
  });

  describe('that request ascending order', () => {
    const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();

    it.each(['asc', 1, '1'])('need a bound (sort %j)', async (sort) => {
      expect(await refusalOf({ sort })).toEqual({ status: 400, code: 0, name: 'asc_unbounded' });
      expect((await client.post(PATH, { sort, before: daysAgo(1000) })).status).toBe(200);
      expect((await client.post(PATH, { sort, after: 1 })).status).toBe(200);
      expect((await client.post(PATH, { sort, after: '1' })).status).toBe(200);
    });

    it('start at most 90 days ago, in any time zone', async () => {
      expect((await client.post(PATH, { sort: 'asc', after: daysAgo(89.999) })).status).toBe(200);
      const zoned = `${daysAgo(89).slice(0, -1)}+05:30`;
      expect((await client.post(PATH, { sort: 'asc', after: zoned })).status).toBe(200);
      const refusal = { status: 400, code: 0, name: 'asc_window_exceeded' };
      expect(await refusalOf({ sort: 'asc', after: daysAgo(90.001) })).toEqual(refusal);
      expect(await refusalOf({ sort: '1', after: daysAgo(91), before: daysAgo(1) })).toEqual(refusal);
      expect(await refusalOf({ sort: 'asc', after: `${daysAgo(90).slice(0, -1)}+01:00` })).toEqual(refusal);
    });

    it('get an error that explains how to correct the request', async () => {
      const detailOf = async (body: unknown) => JSON.stringify((await client.post(PATH, body)).json);
      expect(await detailOf({ sort: 'asc' })).toMatch(/after.*before/);
      expect(await detailOf({ sort: 'asc', after: daysAgo(100) })).toContain('90 days');
    });

    it('are the only ones with these limits: descending order has none', async () => {
      for (const sort of ['desc', -1, '-1', null]) {
        expect((await client.post(PATH, { sort, after: daysAgo(5000) })).status).toBe(200);
        expect((await client.post(PATH, { sort })).status).toBe(200);
      }
    });
  });
}
