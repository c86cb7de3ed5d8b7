import { mostFrequent, type Row } from './whole-list';

/** A page of a list: its request, and its expected rows from the whole list. */
export interface PageQuery {
  /** Description of the filters and bounds: `eosio.token:*`, `block 20 to 400`… */
  narrowed: string;
  order: 'desc' | 'asc';
  pos: number;
  request: Record<string, unknown>;
  expected: { digests: string[]; more: boolean };
  /** Number of rows of the list with these filters and bounds. */
  total: number;
}

const PAGE = 20;
const DEPTHS = [0, 10, 1_000, 100_000, 400_000];

interface Narrowing {
  label: string;
  fields: Record<string, unknown>;
  matches: (row: Row) => boolean;
}

/** Only for the chain's list: its rows have the contract's own trace, those of an account may have a notification. */
const ROOTS: Narrowing = { label: 'root actions', fields: { parent: 0 }, matches: ({ root }) => root };

/** The pages to request of a list, which is ordered newest first. */
export function createPageQueries(account: string | undefined, list: readonly Row[]): PageQuery[] {
  const narrowings = [...createNarrowings(list), ...(account === undefined ? [ROOTS] : [])];
  return narrowings.flatMap(({ label, fields, matches }) => {
    const newestFirst = list.filter(matches);
    return (['desc', 'asc'] as const).flatMap((order) => {
      const rows = order === 'desc' ? newestFirst : newestFirst.toReversed();
      // Ascending order needs a bound; block 1 includes all rows.
      const bound = order === 'asc' && fields['after'] === undefined ? { after: 1 } : {};
      return depthsOf(rows.length).map((pos): PageQuery => {
        const request = { account_name: account, sort: order, offset: PAGE, pos, ...fields, ...bound };
        const digests = rows.slice(pos, pos + PAGE).map(({ digest }) => digest);
        const expected = { digests, more: pos + PAGE < rows.length };
        return { narrowed: label, order, pos, request, expected, total: rows.length };
      });
    });
  });
}

/** The depths of a list, its last page, and one row after its end. */
function depthsOf(length: number): number[] {
  const within = DEPTHS.filter((depth) => depth < length);
  return [...new Set([...within, Math.max(0, length - PAGE), length])];
}

function createNarrowings(list: readonly Row[]): Narrowing[] {
  const frequent = mostFrequent(list, ({ account, name }) => [`${account}:${name}`]);
  const [hottest = '', second = ''] = frequent;
  const rarest = frequent.at(-1) ?? '';
  const [hotAccount = '', hotName = ''] = hottest.split(':');
  const quarter = list[Math.floor(list.length * 0.75)];
  const threeQuarters = list[Math.floor(list.length * 0.25)];
  if (!quarter || !threeQuarters) throw new Error('the list is empty');
  const blocks = { after: quarter.blockNum, before: threeQuarters.blockNum };
  const times = { after: toTime(quarter), before: toTime(threeQuarters) };
  const inBlocks = ({ blockNum }: Row): boolean => blockNum >= blocks.after && blockNum <= blocks.before;
  const isKind =
    (...wanted: string[]) =>
    ({ account, name }: Row): boolean =>
      wanted.includes(`${account}:${name}`);
  return [
    { label: 'all', fields: {}, matches: () => true },
    { label: hottest, fields: { filter: hottest }, matches: isKind(hottest) },
    {
      label: `${hotAccount}:*`,
      fields: { filter: `${hotAccount}:*` },
      matches: ({ account }) => account === hotAccount,
    },
    { label: `*:${hotName}`, fields: { filter: `*:${hotName}` }, matches: ({ name }) => name === hotName },
    { label: `${second},${rarest}`, fields: { filter: `${second},${rarest}` }, matches: isKind(second, rarest) },
    { label: rarest, fields: { filter: rarest }, matches: isKind(rarest) },
    { label: `blocks ${blocks.after} to ${blocks.before}`, fields: blocks, matches: inBlocks },
    { label: 'the same by time', fields: times, matches: inBlocks },
    {
      label: `${second} in these blocks`,
      fields: { filter: second, ...blocks },
      matches: both(isKind(second), inBlocks),
    },
    {
      label: `${rarest} in these blocks`,
      fields: { filter: rarest, ...blocks },
      matches: both(isKind(rarest), inBlocks),
    },
  ];
}

function both(one: (row: Row) => boolean, other: (row: Row) => boolean): (row: Row) => boolean {
  return (row) => one(row) && other(row);
}

function toTime({ timeMs }: Row): string {
  return new Date(timeMs).toISOString().slice(0, -1);
}
