import { once } from 'node:events';
import { connect } from 'node:net';
import request from 'supertest';
import { ROUTES } from '@antelope-history/routes';
import { GatewayFixture } from './gateway-fixture';

const { path: BY_ROWS } = ROUTES.getActions;
const { path: BY_NODEOS } = ROUTES.getActionsByPosition;

describe('the positions of get_actions', () => {
  const fixture = new GatewayFixture();
  beforeAll(() => fixture.open());
  afterAll(() => fixture.close());

  const servedBy = async (environment: Record<string, string>, path: string, headers: Record<string, string> = {}) => {
    const response = await request(fixture.createGateway({ environment })).post(path).set(headers).send({});
    return response.body.path as string;
  };

  it('count rows unless the configuration says otherwise', async () => {
    expect(await servedBy({}, BY_ROWS)).toBe(BY_ROWS);
    for (const path of [BY_ROWS, `${BY_ROWS}/`, `${BY_ROWS}?x=1`])
      expect(await servedBy({ HISTORY_API__POSITIONS: 'nodeos' }, path)).toBe(BY_NODEOS);
  });

  it('are those that a path names, whatever the configuration says', async () => {
    const settings = {
      HISTORY_API__POSITIONS: 'nodeos',
      HISTORY_API__POSITIONS_HEADER: 'x-positions',
      HISTORY_API__NODEOS_PATH_PREFIX: '/plugin',
    };
    const named = '/v1/history/rows/get_actions';
    for (const path of [named, `${named}/`, `${named}?x=1`, `/plugin${named}`])
      expect(await servedBy(settings, path, { 'x-positions': 'nodeos' })).toBe(BY_ROWS);
    expect(await servedBy({}, named)).toBe(BY_ROWS);
    expect(await servedBy({}, BY_NODEOS)).toBe(BY_NODEOS);
  });

  it('can be chosen by a header', async () => {
    const named = { HISTORY_API__POSITIONS_HEADER: 'x-positions' };
    expect(await servedBy(named, BY_ROWS)).toBe(BY_ROWS);
    expect(await servedBy(named, BY_ROWS, { 'X-Positions': 'nodeos' })).toBe(BY_NODEOS);
    expect(await servedBy({}, BY_ROWS, { 'x-positions': 'nodeos' })).toBe(BY_ROWS);
    const nodeos = { ...named, HISTORY_API__POSITIONS: 'nodeos' };
    expect(await servedBy(nodeos, BY_ROWS, { 'x-positions': 'rows' })).toBe(BY_ROWS);
    const unknown = await request(fixture.createGateway({ environment: named }))
      .post(BY_ROWS)
      .set('x-positions', 'plugin')
      .send({});
    expect([unknown.status, unknown.body.error.details[0].message]).toEqual([
      400,
      'the header x-positions takes rows or nodeos',
    ]);
  });

  it('can be chosen by a path prefix, behind which all other paths are the same', async () => {
    const prefixed = { HISTORY_API__NODEOS_PATH_PREFIX: '/plugin' };
    expect(await servedBy(prefixed, `/plugin${BY_ROWS}`)).toBe(BY_NODEOS);
    expect(await servedBy(prefixed, BY_ROWS)).toBe(BY_ROWS);
    for (const { path } of Object.values(ROUTES).filter(({ path }) => path !== BY_ROWS))
      expect(await servedBy(prefixed, `/plugin${path}`)).toBe(path);
    const gateway = fixture.createGateway({ environment: prefixed });
    for (const path of ['/pluginx/v1/history/get_actions', '/plugin/plugin/v1/history/get_actions', '/plugin'])
      expect((await request(gateway).post(path).send({})).status).toBe(404);
    expect((await request(gateway).get(`/plugin${BY_ROWS}`)).status).toBe(405);
    expect((await request(fixture.createGateway()).post(`/plugin${BY_ROWS}`).send({})).status).toBe(404);
  });

  it('can be chosen by a path prefix in a whole URL', async () => {
    const app = fixture.createGateway({ environment: { HISTORY_API__NODEOS_PATH_PREFIX: '/plugin' } });
    const client = connect(Number(new URL(await fixture.serve(app)).port), '127.0.0.1');
    let received = '';
    client.on('data', (chunk: Buffer) => (received += chunk.toString()));
    client.write(
      `POST http://history.example/plugin${BY_ROWS} HTTP/1.1\r\nhost: history.example\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`,
    );
    await once(client, 'close');
    expect([received.slice(9, 12), received]).toEqual(['200', expect.stringContaining(`"path":"${BY_NODEOS}"`)]);
  });
});
