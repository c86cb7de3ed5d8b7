import { isDeepStrictEqual } from 'node:util';
import { type AdapterSet, startIndexedChain } from '@antelope-history/processes';
import { createPageQueries, type PageQuery } from './page-queries';
import { fetchPage, fetchText, fetchWholeList, mostFrequent, type Row } from './whole-list';

export interface PageFigures extends PageQuery {
  /** The account whose list it is; undefined for the chain's. */
  account: string | undefined;
  /** Whether the page is equal to the slice of the whole list. */
  equal: boolean;
  medianMs: number;
  /** Ratio to the first page of the same list, newest first, in the same run. */
  ratio: number;
}

export interface PagesOptions {
  /** The set of adapters. */
  set: AdapterSet;
  /** Number of measurements of each page. */
  rounds: number;
  /** Called for each list that was read, with its length. */
  onList?: (account: string | undefined, rows: number) => void;
}

const HOT_ACCOUNTS = 3;
/** The blocks of a recording are old, and ascending order is measured with dates too. */
const ENVIRONMENT = { HISTORY_API__MAX_ASC_WINDOW_DAYS: '36500' };

/**
 * Indexes a recording, reads the whole list of the chain and of its hottest accounts over HTTP, and compares and times
 * pages at every depth.
 */
export async function measurePages(folder: string, { set, rounds, onList }: PagesOptions): Promise<PageFigures[]> {
  const service = await startIndexedChain(set, folder, {
    environment: ENVIRONMENT,
    replayOptions: ['--at-end'],
    scaled: true,
  });
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
  const pages = await inTurn(queries, ({ request }) => fetchPage(url, request));
  const medians = await measureMedians(url, queries, rounds);
  const first = medians[0] ?? 0;
  return queries.map((query, index) => {
    const { rows = [], more } = pages[index] ?? {};
    const received = { digests: rows.map(({ digest }) => digest), more };
    const medianMs = medians[index] ?? 0;
    return { ...query, account, equal: isDeepStrictEqual(received, query.expected), medianMs, ratio: medianMs / first };
  });
}

/** Median milliseconds of each query. The queries take turns, so that other load on the machine affects all of them. */
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
