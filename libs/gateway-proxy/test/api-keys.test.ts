import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import request from 'supertest';
import { inspect } from 'node:util';
import { MemoryKeyValue } from '@antelope-history/key-value-memory';
import { ROUTES } from '@antelope-history/routes';
import type { Logger } from '@antelope-history/app-runtime';
import { createGateway } from '../src';
import { createApiKeys } from '../src/api-keys';
import { BrokenKeyValue, GatewayFixture } from './gateway-fixture';
import { RecordingUpstream } from './recording-upstream';

const sha256 = (key: string) => createHash('sha256').update(key).digest('hex');
const GOLD = { name: 'gold', sha256: sha256('gold-key'), requests_per_minute: 3, cost_per_minute: 0 };

describe('API keys', () => {
  const fixture = new GatewayFixture();
  let folder: string;
  let file: string;
  let now = Date.UTC(2026, 0, 1);

  beforeAll(() => fixture.open());
  afterAll(() => fixture.close());
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'api-keys-'));
    file = path.join(folder, 'keys.json');
    writeFileSync(file, JSON.stringify([GOLD]));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const open = (environment: Record<string, string> = {}, keyValue = new MemoryKeyValue()) =>
    fixture.createGateway({
      environment: { HISTORY_API__RATE_LIMIT_RPM: '1', HISTORY_GATEWAY__API_KEYS_FILE: file, ...environment },
      keyValue,
      now: () => now,
    });
  const post = (gateway: ReturnType<typeof open>, headers: Record<string, string> = {}) =>
    request(gateway).post(ROUTES.getActions.path).set(headers).send({});

  it('have their own limits, whichever header carries the key', async () => {
    const gateway = open();
    const statuses: number[] = [];
    const ways: Record<string, string>[] = [
      { 'x-api-key': 'gold-key' },
      { authorization: 'Bearer gold-key' },
      { authorization: 'bearer gold-key' },
    ];
    for (const headers of [...ways, ...ways.slice(0, 1)]) statuses.push((await post(gateway, headers)).status);
    expect(statuses).toEqual([200, 200, 200, 429]);
    // The address is counted separately.
    expect([(await post(gateway)).status, (await post(gateway)).status]).toEqual([200, 429]);
  });

  it('that are unknown are refused, and counted by address', async () => {
    const gateway = open({ HISTORY_API__RATE_LIMIT_RPM: '2' });
    const refused = await post(gateway, { 'x-api-key': 'guess' });
    expect([refused.status, refused.headers['www-authenticate']]).toEqual([401, 'Bearer']);
    expect(refused.body.error).toMatchObject({
      name: 'unauthorized',
      details: [{ message: expect.stringMatching(/x-api-key/) }],
    });
    await post(gateway, { 'x-api-key': 'another guess' });
    expect((await post(gateway, { 'x-api-key': 'a third guess' })).status).toBe(429);
  });

  it('are required for endpoints where configured, but not for /health', async () => {
    const gateway = open({ HISTORY_GATEWAY__REQUIRE_API_KEY: 'true', HISTORY_API__RATE_LIMIT_RPM: '0' });
    expect((await post(gateway)).status).toBe(401);
    expect((await post(gateway, { 'x-api-key': 'gold-key' })).status).toBe(200);
    expect((await request(gateway).get('/live')).status).toBe(200);
  });

  it('are ignored where none are configured', async () => {
    const gateway = fixture.createGateway();
    expect((await post(gateway, { authorization: 'Bearer gold-key' })).status).toBe(200);
  });

  it('are reloaded when the file changes, and stay in force when the new file is invalid', async () => {
    const gateway = open();
    const key = { 'x-api-key': 'new-key' };
    writeFileSync(file, JSON.stringify([GOLD, { ...GOLD, name: 'new', sha256: sha256('new-key') }]));
    utimesSync(file, now / 1000, 1);
    expect((await post(gateway, key)).status).toBe(401);
    now += 60_000;
    expect((await post(gateway, key)).status).toBe(200);
    writeFileSync(file, 'no list');
    utimesSync(file, now / 1000, 2);
    now += 60_000;
    expect((await post(gateway, key)).status).toBe(200);
  });

  it('prevent the start when their file is missing', () => {
    rmSync(file, { force: true });
    expect(() => open()).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }));
  });

  it.each(['no list', '{}', '[{"name":"x"}]', JSON.stringify([{ ...GOLD, sha256: 'gold-key' }])])(
    'prevent the start when their file is invalid: %s',
    (text) => {
      writeFileSync(file, text);
      expect(() => open()).toThrow(
        expect.objectContaining({ code: 'CONFIG_INVALID', message: expect.not.stringMatching('gold-key') }),
      );
    },
  );

  it('can be stored in the key-value store, and requests get 503 while it is unavailable', async () => {
    const environment = { HISTORY_GATEWAY__API_KEYS_IN_KEY_VALUE: 'true' };
    const keyValue = new MemoryKeyValue();
    await keyValue.set(`api-key:${sha256('stored-key')}`, '{"name":"stored","requests_per_minute":2}');
    const gateway = open(environment, keyValue);
    const key = { 'x-api-key': 'stored-key' };
    const statuses = [await post(gateway, key), await post(gateway, key), await post(gateway, key)];
    expect(statuses.map(({ status }) => status)).toEqual([200, 200, 429]);
    expect((await post(open(environment, keyValue), { 'x-api-key': 'guess' })).status).toBe(401);
    const broken = open({ ...environment, HISTORY_API__RATE_LIMIT_RPM: '0' }, new BrokenKeyValue());
    expect((await post(broken, key)).status).toBe(503);
    expect((await post(broken, { 'x-api-key': 'gold-key' })).status).toBe(200);
  });

  /** Counts the look-ups of keys. */
  class CountingKeyValue extends MemoryKeyValue {
    readonly read: string[] = [];
    override get(key: string): ReturnType<MemoryKeyValue['get']> {
      this.read.push(key);
      return super.get(key);
    }
  }

  it.each(['REQUESTS', 'COST'])(
    'that are made up are looked up only within the limit of their address: %s',
    async (limit) => {
      const variable = limit === 'COST' ? 'HISTORY_API__RATE_LIMIT_COST_PER_MINUTE' : 'HISTORY_API__RATE_LIMIT_RPM';
      const environment = { HISTORY_GATEWAY__API_KEYS_IN_KEY_VALUE: 'true', HISTORY_API__RATE_LIMIT_RPM: '0' };
      const keyValue = new CountingKeyValue();
      await keyValue.set(`api-key:${sha256('stored-key')}`, '{"name":"stored"}');
      const gateway = open({ ...environment, [variable]: '3' }, keyValue);
      const statusOf = async (key: string) => (await post(gateway, { 'x-api-key': key })).status;
      expect(await statusOf('stored-key')).toBe(200);
      const statuses: number[] = [];
      for (let guess = 0; guess < 10; guess++) statuses.push(await statusOf(`guess ${guess}`));
      expect(statuses).toEqual([401, 401, 401, ...Array.from({ length: 7 }, () => 429)]);
      expect(keyValue.read).toHaveLength(4);
      // A key that was known before is looked up again all the same.
      now += 6_000;
      expect(await statusOf('stored-key')).toBe(200);
      expect(keyValue.read).toHaveLength(5);
      now += 60_000;
      expect(await statusOf('guess 0')).toBe(401);
    },
  );

  it('that are made up are looked up 6,000 times a minute where their address has no limit', async () => {
    const keyValue = new CountingKeyValue();
    const { config, log } = fixture.depsOf({ environment: { HISTORY_GATEWAY__API_KEYS_IN_KEY_VALUE: 'true' } });
    const find = createApiKeys({ config, keyValue, log, now: () => now });
    const sender = { id: '203.0.113.7', requestsPerMinute: 0, costPerMinute: 0 };
    const found: unknown[] = [];
    for (let guess = 0; guess < 6_010; guess++) found.push(await find?.(`guess ${guess}`, sender));
    expect(keyValue.read).toHaveLength(6_000);
    expect([found.indexOf('limited'), found.at(-1)]).toEqual([6_000, 'limited']);
    expect(await find?.('a guess', { ...sender, id: '203.0.113.8' })).toBe('unknown');
    now += 60_000;
    expect(await find?.('guess 6009', sender)).toBe('unknown');
  });

  it('that are made up do not displace known ones from the cache', async () => {
    const keyValue = new CountingKeyValue();
    await keyValue.set(`api-key:${sha256('stored-key')}`, '{"name":"stored"}');
    const { config, log } = fixture.depsOf({ environment: { HISTORY_GATEWAY__API_KEYS_IN_KEY_VALUE: 'true' } });
    const find = createApiKeys({ config, keyValue, log, now: () => now });
    const sender = { id: '203.0.113.7', requestsPerMinute: 0, costPerMinute: 0 };
    const found = await Promise.all([1, 2, 3].map(async () => find?.('stored-key', sender)));
    expect(found).toEqual(Array.from({ length: 3 }, () => expect.objectContaining({ name: 'stored' }) as object));
    for (let guess = 0; guess < 10_001; guess++)
      await find?.(`guess ${guess}`, { ...sender, id: `10.0.0.${guess % 9}` });
    expect(await find?.('stored-key', sender)).toEqual(found[0]);
    expect(keyValue.read.filter((key) => key.endsWith(sha256('stored-key')))).toHaveLength(1);
    await keyValue.delete(`api-key:${sha256('stored-key')}`);
    now += 6_000;
    expect([await find?.('stored-key', sender), await find?.('stored-key', sender)]).toEqual(['unknown', 'unknown']);
  });

  it('are neither forwarded nor logged', async () => {
    const upstream = new RecordingUpstream();
    let logged = '';
    const record = (...values: unknown[]): void => {
      logged += inspect(values, { depth: 9 });
    };
    const log = { debug: record, info: record, warn: record, error: record } as unknown as Logger;
    const environment = {
      HISTORY_GATEWAY__HISTORY_API_URL: await upstream.open(),
      HISTORY_GATEWAY__API_KEYS_FILE: file,
    };
    const deps = fixture.depsOf({ environment });
    const gateway = createGateway({ ...deps, log });
    await post(gateway, { 'x-api-key': 'gold-key' });
    await post(gateway, { authorization: 'Bearer gold-key' });
    await post(gateway, { 'x-api-key': 'a-guess' });
    await upstream.close();
    await post(gateway, { 'x-api-key': 'gold-key' });
    expect(logged).not.toBe('');
    for (const text of [upstream.bytes, logged]) expect(text).not.toMatch(/gold-key|a-guess|authorization|api-key/i);
  });
});
