import { ROUTES } from '@antelope-history/routes';
import { type IndexedService, startIndexedService } from '@antelope-history/processes';
import { sampleFolder } from '@antelope-history/test-support/recordings';
import { CheckedClient } from '../src';

describe('the OpenAPI document and the examples of the routes', () => {
  let service: IndexedService;
  let client: CheckedClient;
  let operations: CheckedClient;

  beforeAll(async () => {
    service = await startIndexedService(sampleFolder('leap-edge'));
    client = new CheckedClient(service.url);
    operations = new CheckedClient(service.operationsUrl);
  });
  afterAll(() => service.stop());

  it.each(Object.entries(ROUTES))('give for %s the response that the service sends', async (_, { path, example }) => {
    expect((await client.post(path, example.request)).json).toEqual(example.response);
  });

  it('list only paths that the gateway serves, and every endpoint', async () => {
    const { paths } = (await client.send('GET', '/openapi.json')).json as {
      paths: Record<string, Record<string, unknown>>;
    };
    for (const [path, methods] of Object.entries(paths)) {
      for (const method of Object.keys(methods)) {
        // GET includes HEAD, and a stream has no end.
        const { status } = await client.send(method === 'get' ? 'HEAD' : method.toUpperCase(), path);
        expect([path, status]).not.toEqual([path, 404]);
      }
    }
    expect(Object.keys(paths)).toEqual(expect.arrayContaining(Object.values(ROUTES).map(({ path }) => path)));
  });

  it('list every page of the operations listener', async () => {
    const { paths } = (await operations.send('GET', '/openapi.json')).json as { paths: Record<string, object> };
    for (const path of ['/', '/health', '/live', '/metrics', '/docs', '/openapi.json']) {
      expect(Object.keys(paths)).toContain(path);
    }
  });

  it.each(['/health', '/live', '/docs', '/openapi.json'])('describe the response to GET %s', async (path) => {
    expect((await client.send('GET', path)).status).toBe(200);
    expect((await client.send('GET', `${path}/`)).status).toBe(200);
  });

  it.each(['/health', '/live', '/metrics', '/docs', '/openapi.json'])(
    'describe the response to GET %s of the operations listener',
    async (path) => {
      expect((await operations.send('GET', path)).status).toBe(200);
      expect((await operations.send('GET', `${path}/`)).status).toBe(200);
    },
  );
});
