import { createHash } from 'node:crypto';
import request from 'supertest';
import { statusResponse } from '@antelope-history/schemas';
import { BrokenKeyValue, GatewayFixture } from './gateway-fixture';

describe('the page', () => {
  const fixture = new GatewayFixture();
  beforeAll(() => fixture.open());
  afterAll(() => fixture.close());

  const settingsIn = (html: string): unknown => {
    const text = /data-settings="([^"]*)"/.exec(html)?.[1] ?? '';
    return JSON.parse(text.replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code))));
  };
  const publicPage = (paths: string) =>
    request(fixture.createGateway({ environment: { HISTORY_GATEWAY__PUBLIC_PATHS: paths } })).get('/');

  it('loads only what the listener serves', async () => {
    const operations = fixture.createOperations();
    const { text, headers } = await request(operations).get('/');
    const policy = String(headers['content-security-policy']).split('; ');
    const importMap = /<script type="importmap">([^]*?)<\/script>/.exec(text)?.[1] ?? '';
    expect(policy).toContain(`script-src 'self' 'sha256-${createHash('sha256').update(importMap).digest('base64')}'`);
    expect(policy).toContain("default-src 'none'");
    expect(policy.join()).not.toContain('unsafe');
    const { imports } = JSON.parse(importMap) as { imports: Record<string, string> };
    const linked = [...text.matchAll(/(?:href|src)="(\.\/page\/[^"]+)"/g)].map(([, file]) => String(file));
    const files = [...new Set([...linked, ...Object.values(imports)])];
    expect(files.length).toBeGreaterThan(6);
    for (const file of files) {
      const { status, type, headers: sent } = await request(operations).get(file.slice(1));
      expect([file, status, sent['cache-control']]).toEqual([file, 200, 'public, max-age=31536000, immutable']);
      expect(type).toMatch(file.endsWith('.css') ? /css/ : file.endsWith('.svg') ? /svg/ : /javascript/);
    }
  });

  it('has all modules that its modules import', async () => {
    const operations = fixture.createOperations();
    const folder = await folderOf(operations);
    const seen = new Set(['main.js']);
    for (const name of seen) {
      const { status, text } = await request(operations).get(`${folder}/${name}`);
      expect([name, status]).toEqual([name, 200]);
      for (const [, imported = ''] of text.matchAll(/from '(\.[^']+)'/g)) {
        seen.add(new URL(imported, `http://page/${name}`).pathname.slice(1));
      }
    }
    expect(seen.size).toBeGreaterThan(10);
  });

  /** Where the files of the page are: `/page/VERSION`. */
  async function folderOf(operations: ReturnType<GatewayFixture['createOperations']>): Promise<string> {
    const { text } = await request(operations).get('/');
    return /src="\.(\/page\/[0-9a-f]{12})\/main\.js"/.exec(text)?.[1] ?? '';
  }

  it('names the files by their contents, so that browsers keep them until the next version', async () => {
    const operations = fixture.createOperations();
    expect(await folderOf(operations)).toBe(await folderOf(fixture.createOperations()));
    expect((await request(operations).get('/page/000000000000/main.js')).status).toBe(404);
    expect((await request(operations).get('/')).headers['cache-control']).toBe('no-cache');
  });

  it.each([
    '/page/',
    '/page/main.js',
    'VERSION/nothing.js',
    'VERSION/main.d.ts',
    'VERSION/../package.json',
    'VERSION/%2e%2e/package.json',
    'VERSION/..%2fpackage.json',
    'VERSION/explorer/../../package.json',
    'VERSION/explorer%00.js',
    'VERSION/__proto__',
    'VERSION/vendor/other.js',
    `VERSION/${'a/'.repeat(2_000)}b.js`,
  ])('has no other files: %.40s', async (path) => {
    const operations = fixture.createOperations();
    const { status, body } = await request(operations).get(path.replace('VERSION', await folderOf(operations)));
    expect([status, body.error.name]).toEqual([404, 'unknown_path']);
  });

  it('of the operations listener has all views, and uses the API at the port for clients', async () => {
    const { text, headers } = await request(fixture.createOperations()).get('/');
    expect(settingsIn(text)).toEqual({
      status: true,
      explorer: true,
      links: ['/live', '/health', '/metrics', '/status', '/docs', '/openapi.json'],
      api: { port: 8888, path: '', host: '127.0.0.1' },
      actionsPath: '/v1/history/get_actions',
      version: '4.1.0',
    });
    expect(headers['content-security-policy']).toContain("connect-src 'self' http://*:8888 https://*:8888;");
  });

  it.each(['0.0.0.0', '::'])('uses its own host where the gateway listens at all addresses: %s', async (host) => {
    const environment = { HISTORY_GATEWAY__HOST: host };
    const { text } = await request(fixture.createOperations({ environment })).get('/');
    expect(settingsIn(text)).toMatchObject({ api: { port: 8888, path: '' } });
    expect(settingsIn(text)).not.toHaveProperty('api.host');
  });

  it('uses the public URL where one is configured', async () => {
    const environment = { HISTORY_GATEWAY__PUBLIC_URL: 'https://history.example/eos' };
    const { text, headers } = await request(fixture.createOperations({ environment })).get('/');
    expect(settingsIn(text)).toMatchObject({ api: { url: 'https://history.example/eos' } });
    expect(headers['content-security-policy']).toContain("connect-src 'self' https://history.example;");
  });

  it('requests the rows of get_actions where get_actions counts as nodeos', async () => {
    const environment = { HISTORY_API__POSITIONS: 'nodeos' };
    const { text } = await request(fixture.createOperations({ environment })).get('/');
    expect(settingsIn(text)).toMatchObject({ actionsPath: '/v1/history/rows/get_actions' });
  });

  it.each([
    ['explorer,health', { status: false, explorer: true, links: ['/health'] }],
    ['status_page', { status: true, explorer: false, links: ['/status'] }],
  ])('for clients has the configured views: %s', async (paths, settings) => {
    const { text, headers } = await publicPage(paths);
    expect(settingsIn(text)).toMatchObject({ ...settings, api: 'same origin' });
    expect(headers['content-security-policy']).toContain("connect-src 'self';");
  });

  it('says without JavaScript where the same can be read', async () => {
    const { text } = await publicPage('status_page,health_details');
    expect(/<noscript>([^]*)<\/noscript>/.exec(text)?.[1]).toContain('<a href="./health">');
  });

  it('and its data are served while everything else is unavailable', async () => {
    const nowhere = 'http://127.0.0.1:9';
    const environment = {
      HISTORY_GATEWAY__HISTORY_API_URL: nowhere,
      HISTORY_GATEWAY__CHAIN_API_URL: nowhere,
      HISTORY_GATEWAY__TRACE_API_URL: nowhere,
    };
    const operations = fixture.createOperations({ environment, keyValue: new BrokenKeyValue() });
    expect((await request(operations).get('/')).status).toBe(200);
    const { status, body, headers } = await request(operations).get('/status');
    expect([status, headers['cache-control'], body.health.status, body.processes]).toEqual([
      200,
      'no-store',
      'down',
      [],
    ]);
    expect(statusResponse.parse(body)).toEqual(body);
  });
});
