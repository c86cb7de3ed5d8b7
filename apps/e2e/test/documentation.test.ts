import { ENDPOINT_NOTES } from '@antelope-history/openapi';
import { sampleFolder } from '@antelope-history/test-support/recordings';
import { ROUTES } from '@antelope-history/schemas';
import { type IndexedService, startIndexedService } from '@antelope-history/processes';
import { CheckedClient } from '../src';

describe('the description of the interface', () => {
  let service: IndexedService;
  let client: CheckedClient;
  let operations: CheckedClient;

  beforeAll(async () => {
    service = await startIndexedService(sampleFolder('leap-edge'));
    client = new CheckedClient(service.url);
    operations = new CheckedClient(service.operationsUrl);
  }, 60_000);
  afterAll(() => service.stop());

  it.each(Object.entries(ROUTES))('shows for %s what the service answers', async (key, { path }) => {
    const { request, answer } = ENDPOINT_NOTES[key as keyof typeof ROUTES].example;
    expect((await client.post(path, request)).json).toEqual(answer);
  });

  it('names every path that the gateway answers', async () => {
    const { paths } = (await client.send('GET', '/openapi.json')).json as {
      paths: Record<string, Record<string, unknown>>;
    };
    for (const [path, methods] of Object.entries(paths)) {
      for (const method of Object.keys(methods)) {
        const { status } = await client.send(method.toUpperCase(), path);
        expect([path, status]).not.toEqual([path, 404]);
      }
    }
    expect(Object.keys(paths)).toEqual(expect.arrayContaining(Object.values(ROUTES).map(({ path }) => path)));
  });

  it('names every page of the operations listener', async () => {
    const { paths } = (await operations.send('GET', '/openapi.json')).json as { paths: Record<string, object> };
    for (const path of ['/', '/health', '/live', '/metrics', '/docs', '/openapi.json']) {
      expect(Object.keys(paths)).toContain(path);
    }
  });

  it.each(['/health', '/live', '/docs', '/openapi.json'])('is true of GET %s', async (path) => {
    expect((await client.send('GET', path)).status).toBe(200);
    expect((await client.send('GET', `${path}/`)).status).toBe(200);
  });

  it.each(['/health', '/live', '/metrics', '/docs', '/openapi.json'])(
    'is true of GET %s of the operations listener',
    async (path) => {
      expect((await operations.send('GET', path)).status).toBe(200);
      expect((await operations.send('GET', `${path}/`)).status).toBe(200);
    },
  );
});
