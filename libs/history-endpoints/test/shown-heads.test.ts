import { ApiClient, createApiDeps, openSampleReader, type SampleReader } from '@antelope-history/endpoint-testing';
import { HISTORY_ROUTES } from '@antelope-history/history-routes';
import { createHistoryApi } from '../src';

const client = new ApiClient(HISTORY_ROUTES);
const sample = openSampleReader('leap-edge');

describe('while the service catches up with its node', () => {
  const head = { num: sample.status.committed!.num + 1000, id: 'ab'.repeat(32) };
  const status = { ...sample.status, head, lastIrreversible: { num: head.num - 300, id: 'cd'.repeat(32) } };
  const reader = Object.assign(Object.create(sample) as SampleReader, { status });
  const app = createHistoryApi(createApiDeps(reader));
  const committed = sample.status.committed?.num;

  it.each([HISTORY_ROUTES.getActions, HISTORY_ROUTES.getActionsByPosition])(
    '$path shows the committed head, which no row is above',
    async (route) => {
      const { body } = await client.post(app, route, {});
      expect(body).toMatchObject({ head_block_num: committed, last_irreversible_block: committed });
    },
  );

  it('get_transaction shows no last irreversible block above the committed head', async () => {
    const { body: page } = await client.post(app, HISTORY_ROUTES.getActions, { offset: 1 });
    const id = HISTORY_ROUTES.getActions.response.parse(page).actions[0]?.action_trace.trx_id;
    const { body } = await client.post(app, HISTORY_ROUTES.getTransaction, { id });
    expect(body).toMatchObject({ last_irreversible_block: committed });
  });
});
