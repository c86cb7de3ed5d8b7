import request from 'supertest';
import { GatewayFixture } from './gateway-fixture';

const ALL = ['/live', '/health', '/metrics', '/status', '/', '/docs', '/openapi.json'];

describe('the pages of the gateway', () => {
  const fixture = new GatewayFixture();
  beforeAll(() => fixture.open());
  afterAll(() => fixture.close());

  /** The pages that a value of `gateway.public_paths` serves. */
  async function shownBy(choice?: string): Promise<string[]> {
    const environment: Record<string, string> = choice === undefined ? {} : { HISTORY_GATEWAY__PUBLIC_PATHS: choice };
    const gateway = fixture.createGateway({ environment });
    const shown: string[] = [];
    for (const path of ALL) {
      const { status, body } = await request(gateway).get(path);
      if (status === 200) shown.push(path);
      else expect([path, status, body.error.name]).toEqual([path, 404, 'unknown_path']);
    }
    return shown;
  }

  it('hide metrics and the status page from clients by default', async () => {
    expect(await shownBy()).toEqual(['/live', '/health', '/docs', '/openapi.json']);
  });

  it('include a health response without components by default', async () => {
    const components = { reader: async () => ({ status: 'ok' as const }) };
    const { body } = await request(fixture.createGateway({ components })).get('/health');
    expect(body).toEqual({
      status: 'ok',
      version: '4.1.0',
      chain_id: 'ab'.repeat(32),
      first_block_num: 2,
      state_complete: true,
      head_block_num: 12,
      committed_block_num: 11,
      last_irreversible_block_num: 5,
      lag_blocks: 1,
      committed_age_seconds: 3,
      data_fields: { 'eosio.token:transfer.to': 2 },
    });
  });

  it.each([
    ['', []],
    ['live', ['/live']],
    ['metrics,status_page', ['/metrics', '/status', '/']],
    ['explorer', ['/']],
    ['health_details', ['/health']],
    ['docs', ['/docs', '/openapi.json']],
    ['live,health,health_details,metrics,status_page,docs', ALL],
  ])('are those that the operator configures: %p', async (choice, shown) => {
    expect(await shownBy(choice)).toEqual(shown);
  });

  it('include the components in the health response where configured', async () => {
    const environment = { HISTORY_GATEWAY__PUBLIC_PATHS: 'health,health_details' };
    const { body } = await request(fixture.createGateway({ environment })).get('/health');
    expect(Object.keys(body)).toEqual(expect.arrayContaining(['components', 'incomplete_ranges']));
  });

  it('are all served by the operations listener, which has no endpoints', async () => {
    const operations = fixture.createOperations();
    for (const path of ALL) expect([path, (await request(operations).get(path)).status]).toEqual([path, 200]);
    expect((await request(operations).post('/v1/history/get_actions').send({})).status).toBe(404);
  });
});
