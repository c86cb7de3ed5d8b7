import { isDeepStrictEqual } from 'node:util';
import { type AdapterSet, startIndexedChain } from '@antelope-history/processes';
import { createPageQueries, type PageQuery } from './page-queries';
import { fetchPage, fetchText, fetchWholeList, mostFrequent, type Row } from './whole-list';

export interface PageFigures extends PageQuery {
  /** The account whose list it is; undefined for the chain's. */
  account: string | undefined;
  /** Whether the answer is the slice of the whole list. */
  equal: boolean;
  medianMs: number;
  /** To the first page of the same list, newest first, in the same run. */
  ratio: number;
}

export interface PagesOptions {
  /** What keeps the chain. */
  set: AdapterSet;
  /** How often each page is timed. */
  rounds: number;
  /** Called for each list that was read, with its length. */
  onList?: (account: string | undefined, rows: number) => void;
}

const HOT_ACCOUNTS = 3;
/** A recording's times stay where they are, and ascending order is measured by date too. */
const ENVIRONMENT = { HISTORY_API__MAX_ASC_WINDOW_DAYS: '36500' };

/**
 * Indexes a recording, reads the whole list of the chain and of its hottest accounts over HTTP, and compares and times
 * pages at every depth.
 */
export async function measurePages(folder: string, { set, rounds, onList }: PagesOptions): Promise<PageFigures[]> {
  const service = await startIndexedChain(set, folder, ENVIRONMENT, ['--at-end']);
  try {
    const chain = await fetchWholeList(service.url, undefined);
    const hottest = mostFrequent(chain, ({ account, actors }) => [account, ...actors]).slice(0, HOT_ACCOUNTS);
    const figures: PageFigures[] = [];
    for (const account of [undefined, ...hottest]) {
      const list = account === undefined ? chain : await fetchWholeList(service.url, account);
      onList?.(account, list.length);
      figures.push(...(await measureList(service.url, account, list, rounds)));
    }
    return figures;
  } finally {
    await service.stop();
  }
}

async function measureList(
  url: string,
  account: string | undefined,
  list: Row[],
  rounds: number,
): Promise<PageFigures[]> {
  const queries = createPageQueries(account, list);
  const answers = await inTurn(queries, ({ request }) => fetchPage(url, request));
  const medians = await measureMedians(url, queries, rounds);
  const first = medians[0] ?? 0;
  return queries.map((query, index) => {
    const { rows = [], more } = answers[index] ?? {};
    const answered = { digests: rows.map(({ digest }) => digest), more };
    const medianMs = medians[index] ?? 0;
    return { ...query, account, equal: isDeepStrictEqual(answered, query.expected), medianMs, ratio: medianMs / first };
  });
}

/** Median milliseconds of each query. They take turns, so that whatever else the machine does falls on all of them. */
async function measureMedians(url: string, queries: PageQuery[], rounds: number): Promise<number[]> {
  const times: number[][] = queries.map(() => []);
  for (let round = 0; round < rounds; round++) {
    for (const [index, { request }] of queries.entries()) {
      const startedAt = performance.now();
      await fetchText(url, request);
      times[index]?.push(performance.now() - startedAt);
    }
  }
  return times.map((list) => list.sort((left, right) => left - right)[list.length >> 1] ?? 0);
}

async function inTurn<T, Result>(items: T[], work: (item: T) => Promise<Result>): Promise<Result[]> {
  const results: Result[] = [];
  for (const item of items) results.push(await work(item));
  return results;
}
