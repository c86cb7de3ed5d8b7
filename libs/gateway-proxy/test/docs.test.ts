import request from 'supertest';
import { MemoryKeyValue } from '@antelope-history/key-value-memory';
import { createOpenApiDocument } from '@antelope-history/openapi';
import { ROUTES, STREAM } from '@antelope-history/routes';
import { createLogger, loadConfig, Registry } from '@antelope-history/app-runtime';
import { createGateway, GatewayStatus } from '../src';

describe('the API documentation', () => {
  const createWith = (environment: NodeJS.ProcessEnv) => {
    const [config, keyValue] = [loadConfig(environment), new MemoryKeyValue()];
    return createGateway({
      config,
      keyValue,
      status: new GatewayStatus({ config, keyValue }),
      log: createLogger('test', 'silent'),
      registry: new Registry(),
    });
  };
  const gateway = createWith({});

  it('is served as OpenAPI', async () => {
    const { body, headers } = await request(gateway).get('/openapi.json');
    const document = createOpenApiDocument({ version: '4.1.0', routes: ROUTES, streams: [STREAM] });
    // The public port does not serve these pages.
    delete document.paths['/metrics'];
    delete document.paths['/status'];
    delete document.paths['/'];
    expect(body).toEqual(JSON.parse(JSON.stringify(document)));
    expect(headers['access-control-allow-origin']).toBe('*');
  });

  it('describes the endpoint that get_actions is where positions are those of nodeos', async () => {
    const { body } = await request(createWith({ HISTORY_API__POSITIONS: 'nodeos' })).get('/openapi.json');
    const operations = (path: string): string => body.paths[path]?.post.operationId;
    expect(operations('/v1/history/get_actions')).toBe('getActionsByPosition');
    expect(operations('/v1/history/rows/get_actions')).toBe('getActions');
    expect(operations('/v1/history/nodeos/get_actions')).toBeUndefined();
  });

  it.each(['/docs', '/docs/'])('is served as a page at %s, with every file that the page loads', async (path) => {
    const page = await request(gateway).get(path);
    expect([page.status, page.type]).toEqual([200, 'text/html']);
    const addresses = [...page.text.matchAll(/(?:href|src|data-document)="([^"]+)"/g)].map(
      ([, address]) => address ?? '',
    );
    const paths = addresses.map((address) => new URL(address, `http://gateway${path}`));
    expect(paths.map(({ host, pathname }) => host + pathname)).toEqual([
      'gateway/docs/favicon-32x32.png',
      'gateway/docs/swagger-ui.css',
      'gateway/openapi.json',
      'gateway/docs/swagger-ui-bundle.js',
      'gateway/docs/start.js',
    ]);
    const types = await Promise.all(paths.map(async ({ pathname }) => (await request(gateway).get(pathname)).type));
    expect(types).toEqual(['image/png', 'text/css', 'application/json', 'text/javascript', 'text/javascript']);
  });

  it.each([
    { range: 'bytes=99999999-' },
    { range: 'bytes=0-9' },
    { 'if-match': '"x"' },
    { 'if-unmodified-since': 'Mon, 01 Jan 1990 00:00:00 GMT' },
  ])('sends a whole file to a request with %j', async (headers) => {
    const whole = await request(gateway).get('/docs/swagger-ui.css');
    const response = await request(gateway).get('/docs/swagger-ui.css').set(headers);
    expect([response.status, response.text.length]).toEqual([200, whole.text.length]);
    const known = await request(gateway)
      .get('/docs/swagger-ui.css')
      .set('if-modified-since', whole.headers['last-modified'] as string);
    expect(known.status).toBe(304);
  });

  it('forbids remote and inline content', async () => {
    const { headers, text } = await request(gateway).get('/docs');
    expect(headers['content-security-policy']).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self'; /);
    expect(headers['content-security-policy']).not.toContain('unsafe');
    expect(text).not.toMatch(/<style|<script>|\son\w+=|https?:/);
  });

  it.each(['/docs/package.json', '/docs/index.html', '/docs/..%2Fpackage.json', '/docs/a/b'])(
    'serves no other file: %s',
    async (path) => {
      const response = await request(gateway).get(path);
      expect([response.status, response.body.error.name]).toEqual([404, 'unknown_path']);
    },
  );
});
