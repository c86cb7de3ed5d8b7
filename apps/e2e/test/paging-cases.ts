import { ROUTES } from '@antelope-history/routes';
interface Row {
  global_action_seq: number | string;
  block_num: number;
  block_time: string;
}

interface Page {
  actions: Row[];
  more: boolean;
  last_irreversible_block: number;
  head_block_num: number;
}

const MAX_ROWS = 1000;
const DEFAULT_ROWS = 20;
const LARGEST = Number.MAX_SAFE_INTEGER;

/**
 * Declares the tests of pages and bounds of `get_actions`. `url` returns the URL of a gateway that serves leap-edge. `stride`: of the forms
 * of `pos` and `offset` each n-th is sent; 5 meets every value of both.
 */
export function describePaging(url: () => string, stride: 1 | 5): void {
  let head: Page;
  let all: Row[];
  beforeAll(async () => {
    head = await ask({});
    all = await rowsOf({});
  });

  async function ask(request: object): Promise<Page> {
    const response = await fetch(url() + ROUTES.getActions.path, { method: 'POST', body: JSON.stringify(request) });
    expect([request, response.status]).toEqual([request, 200]);
    return (await response.json()) as Page;
  }

  async function rowsOf(request: object): Promise<Row[]> {
    const rows: Row[] = [];
    for (;;) {
      const { actions, more } = await ask({ ...request, pos: rows.length, offset: MAX_ROWS });
      rows.push(...actions);
      if (!more) return rows;
    }
  }

  const sequences = (rows: readonly Row[]): (number | string)[] =>
    rows.map(({ global_action_seq }) => global_action_seq);
  const timeOf = (blockNum: number): number =>
    Date.parse(`${all.find(({ block_num }) => block_num === blockNum)?.block_time}Z`);
  const isoTime = (ms: number): string => new Date(ms).toISOString();

  const lists = (): [string, object][] => {
    const { last_irreversible_block: last } = head;
    return [
      ['the chain', { before: 50 }],
      ['an account', { account_name: 'alice', before: 4294967295 }],
      ['an account without rows', { account_name: 'nobody.here', after: 1 }],
      ['filters', { filter: 'eosio.token:*,eosio:updateauth', after: 300 }],
      ['roots', { parent: '0', after: 20, before: 60 }],
      ['irreversible blocks', { account_name: 'eosio', after: 350, before: last }],
      ['reversible blocks', { after: last + 1 }],
      ['blocks around the last irreversible one, by time', { after: last - 30, before: isoTime(timeOf(last) + 5_000) }],
      ['filters on data', { 'transfer.from': 'alice', before: isoTime(timeOf(last)) }],
    ];
  };

  it('has for every form of pos and offset the slice of all rows, at both ends and at the largest numbers', async () => {
    let forms = 0;
    for (const [name, list] of lists()) {
      const desc = await rowsOf(list);
      for (const order of ['desc', 'asc'] as const) {
        const rows = order === 'desc' ? desc : desc.toReversed();
        const count = rows.length;
        for (const pos of [undefined, -1, 0, Math.max(0, count - 1), count, LARGEST]) {
          for (const offset of [undefined, 0, 1, -1, -3, count, LARGEST, -LARGEST]) {
            if (forms++ % stride !== 0) continue;
            const page = await ask({ ...list, sort: order, pos, offset });
            const { from, to } = sliceOf(pos, offset, order === 'asc', count);
            const expected = { rows: sequences(rows.slice(from, to)), more: to < count };
            const found = { rows: sequences(page.actions), more: page.more };
            expect([name, order, pos, offset, found]).toEqual([name, order, pos, offset, expected]);
          }
        }
      }
    }
    expect(forms).toBe(864);
  }, 240_000);

  it('joins the irreversible and the reversible rows without a gap and without an overlap', async () => {
    const { last_irreversible_block: last, head_block_num } = head;
    expect(last).toBeLessThan(head_block_num);
    const borders = [1, 2, last - 1, last, last + 1, head_block_num - 1, head_block_num];
    for (const border of borders) {
      const below = await rowsOf({ before: border });
      const above = await rowsOf({ after: border + 1 });
      expect([border, sequences([...above, ...below])]).toEqual([border, sequences(all)]);
      const time = timeOf(border);
      if (Number.isNaN(time)) continue;
      expect(sequences(await rowsOf({ before: isoTime(time) }))).toEqual(sequences(below));
      expect(sequences(await rowsOf({ after: isoTime(time + 1) }))).toEqual(sequences(above));
    }
  }, 120_000);

  it('bounds rows by times at, before and after the time of a block, to the millisecond', async () => {
    const { last_irreversible_block: last } = head;
    for (const num of [2, 100, last, last + 1, head.head_block_num]) {
      const time = timeOf(num);
      const ofBlock = sequences(all.filter(({ block_num }) => block_num === num));
      expect(ofBlock.length).toBeGreaterThan(0);
      const between = async (after: number, before: number): Promise<(number | string)[]> =>
        sequences(await rowsOf({ after: isoTime(after), before: isoTime(before) }));
      for (const [after, before] of [
        [0, 0],
        [-1, 0],
        [0, 1],
        [-499, 499],
      ] as const) {
        expect([num, after, before, await between(time + after, time + before)]).toEqual([num, after, before, ofBlock]);
      }
      expect(await between(time + 1, time + 499)).toEqual([]);
      expect(await between(time + 1, time - 1)).toEqual([]);
      // The same moment in another zone, without a zone, and with more digits than a block time has.
      const text = isoTime(time).slice(0, -1);
      const elsewhere = `${isoTime(time + 19_800_000).slice(0, -1)}+05:30`;
      for (const at of [text, `${text}000000Z`, elsewhere]) {
        expect([at, sequences(await rowsOf({ after: at, before: at }))]).toEqual([at, ofBlock]);
      }
    }
  }, 120_000);
}

/** The rows that the contract promises: `from` inclusive, `to` exclusive. */
function sliceOf(
  pos: number | undefined,
  offset: number | undefined,
  isAscending: boolean,
  count: number,
): { from: number; to: number } {
  const size = Math.min(Math.abs(offset ?? 0) || DEFAULT_ROWS, MAX_ROWS);
  const isBackwards = (offset ?? 0) < 0;
  if (pos === -1 || (pos === undefined && isBackwards)) {
    return isAscending ? { from: Math.max(0, count - size), to: count } : { from: 0, to: Math.min(size, count) };
  }
  const position = pos ?? 0;
  if (isBackwards) return { from: Math.max(0, position - size + 1), to: position + 1 };
  return { from: position, to: position + size };
}
