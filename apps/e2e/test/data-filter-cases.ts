import { ROUTES, STREAM } from '@antelope-history/routes';
import { readEventStream } from '@antelope-history/test-support/event-stream';

/** The fields of actions that the service indexes. */
export const FIELDS = [
  'eosio.token:transfer.from',
  'eosio.token:transfer.to',
  'eosio.token:transfer.quantity',
  'eosio:setabi.account',
];

interface Row {
  global_action_seq: number | string;
  action_trace: { act: { account: string; name: string; data: Record<string, unknown> } };
}

interface Page {
  actions: Row[];
  more: boolean;
}

/** Declares the tests of filters on action data. `url` returns the URL of a gateway that serves leap-edge, indexed with `FIELDS`. */
export function describeDataFilters(url: () => string): void {
  let all: Row[];
  beforeAll(async () => (all = await rowsOf({})));

  async function ask(request: object): Promise<{ status: number; body: unknown }> {
    const response = await fetch(url() + ROUTES.getActions.path, { method: 'POST', body: JSON.stringify(request) });
    return { status: response.status, body: await response.json() };
  }

  async function rowsOf(request: object): Promise<Row[]> {
    const rows: Row[] = [];
    for (;;) {
      const { status, body } = await ask({ ...request, pos: rows.length, offset: 1_000 });
      expect(status).toBe(200);
      const { actions, more } = body as Page;
      rows.push(...actions);
      if (!more) return rows;
    }
  }

  const sequences = (rows: readonly Row[]): (number | string)[] =>
    rows.map(({ global_action_seq }) => global_action_seq);

  /** The rows of a list that a scan of their data finds. */
  function scan(rows: readonly Row[], action: string, values: Record<string, string>): Row[] {
    return rows.filter(({ action_trace: { act } }) => {
      const isAction = `${act.account}:${act.name}` === action;
      return isAction && Object.entries(values).every(([field, value]) => act.data[field] === value);
    });
  }

  it('select the rows that a scan of all rows finds, for every value of every field', async () => {
    let found = 0;
    for (const field of FIELDS) {
      const [action, name] = [field.slice(0, field.lastIndexOf('.')), field.slice(field.lastIndexOf('.') + 1)];
      const values = new Set(scan(all, action, {}).map(({ action_trace }) => String(action_trace.act.data[name])));
      expect(values.size).toBeGreaterThan(1);
      for (const value of [...values].slice(0, 40)) {
        const rows = await rowsOf({ [field.slice(field.indexOf(':') + 1)]: value });
        expect(sequences(rows)).toEqual(sequences(scan(all, action, { [name]: value })));
        found += rows.length;
      }
    }
    expect(found).toBeGreaterThan(100);
  }, 120_000);

  it('are combined with each other, an account and a filter', async () => {
    const ofAlice = await rowsOf({ account_name: 'alice' });
    const transfers = scan(all, 'eosio.token:transfer', {});
    const { from, to } = transfers[0]?.action_trace.act.data as { from: string; to: string };
    const both = { 'transfer.from': from, 'transfer.to': to };
    expect(sequences(await rowsOf(both))).toEqual(sequences(scan(all, 'eosio.token:transfer', { from, to })));
    const sent = scan(ofAlice, 'eosio.token:transfer', { from: 'alice' });
    expect(sent.length).toBeGreaterThan(0);
    expect(sequences(await rowsOf({ account_name: 'alice', 'transfer.from': 'alice' }))).toEqual(sequences(sent));
    const filtered = { filter: 'eosio.token:transfer', 'transfer.from': 'alice' };
    expect(sequences(await rowsOf(filtered))).toEqual(sequences(scan(all, 'eosio.token:transfer', { from: 'alice' })));
    expect(await rowsOf({ filter: 'eosio:setabi', 'transfer.from': 'alice' })).toEqual([]);
    const ascending = await rowsOf({ 'transfer.to': to, sort: 'asc', after: 1 });
    expect(sequences(ascending)).toEqual(sequences(scan(all, 'eosio.token:transfer', { to })).reverse());
  });

  it('select the rows of a stream', async () => {
    const sent = scan(all, 'eosio.token:transfer', { from: 'alice' }).reverse();
    const rows: Row[] = [];
    const parameters = 'after=1&transfer.from=alice';
    const events = readEventStream(`${url()}${STREAM.path}?${parameters}`, {
      signal: new AbortController().signal,
    });
    for await (const { type, data } of events) {
      if (type === 'action') rows.push(JSON.parse(data) as Row);
      if (type === 'head') break;
    }
    expect(sequences(rows)).toEqual(sequences(sent));
    const refused = await fetch(`${url()}${STREAM.path}?transfer.memo=x`);
    expect([refused.status, await refused.text()]).toEqual([
      400,
      expect.stringContaining('transfer.memo: actions are not'),
    ]);
  });

  it.each([
    [{ 'transfer.memo': 'x' }, 'transfer.memo: actions are not filtered by this field; indexed: transfer.from'],
    [{ 'transfer.to': ['bob'] }, 'transfer.to: give a text of at most 1024 characters, a number, true or false'],
    [{ 'transfer.to': 'x'.repeat(1025) }, 'transfer.to: give a text of at most 1024'],
    [{ to: 'bob' }, 'a filter on action data has the action before it, e.g. transfer.to'],
    [{ 'act.name': 'transfer' }, 'act.name'],
  ])('refuse %j', async (request, message) => {
    const { status, body } = await ask(request);
    const { details } = (body as { error: { details: { message: string }[] } }).error;
    expect([status, details[0]?.message]).toEqual([400, expect.stringContaining(message)]);
  });

  it('are listed in /health with the first block of their values', async () => {
    const health = (await (await fetch(`${url()}/health`)).json()) as { data_fields: Record<string, number> };
    expect(Object.keys(health.data_fields).sort()).toEqual([...FIELDS].sort());
  });
}
