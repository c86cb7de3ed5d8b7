import { isDeepStrictEqual } from 'node:util';
import type { Client } from '@elastic/elasticsearch';
import type { LoadOptions } from '../load-options';
import type { IndexedLayout } from './indexed-layout';
import { load, type LoadFigures, post, quantile } from '../load';
import { type Round, sendAgain } from './recording-proxy';
import type { SuiteCase } from './suite-cases';

/**
 * What is measured in turns: the API, the bare search, the requests to Elasticsearch that the API sends, sent by the client of the bare
 * search, and the gateway before the API.
 */
const SIDES = ['service', 'bare', 'requests', 'gateway'] as const;
type Side = (typeof SIDES)[number];
/** A value per run of each side; without `bare` when no search is needed. */
type Runs = Record<Exclude<Side, 'bare'>, LoadFigures[]> & { bare?: LoadFigures[] };
type Medians = Record<'p50' | 'p99' | 'perSecond', number>;

/** Figures of one case in one layout: a value per run, so that medians and spread can be taken. */
export interface QueryFigures {
  name: string;
  ranges: number;
  /** Whether every compared response contains the same results as that of the bare search. */
  equal: boolean;
  /** With one connection, and with `connections` of them. */
  alone: Runs;
  busy: Runs;
  /** Medians: times with one connection, requests per second with several. */
  median: Record<Exclude<Side, 'bare'>, Medians> & { bare?: Medians };
  /** The figures of the same case in the first layout, for ratios; undefined there. */
  few: QueryFigures | undefined;
}

/** Compared requests per case, before and after the runs. */
const COMPARED = 5;
/** Recorded requests per case. */
const RECORDED = 20;

/** Measures every case in all layouts, in turns. The first run of each does not count. */
export async function measureLayout(
  client: Client,
  layouts: readonly IndexedLayout[],
  cases: readonly SuiteCase[][],
  options: LoadOptions,
): Promise<QueryFigures[]> {
  const all: QueryFigures[] = [];
  for (const index of (cases[0] ?? []).keys()) {
    const measured = layouts.map(({ ranges }, layout) =>
      emptyFigures((cases[layout] as SuiteCase[])[index] as SuiteCase, ranges),
    );
    const ofLayout = layouts.map((layout, each) => ({
      query: (cases[each] as SuiteCase[])[index] as SuiteCase,
      layout,
      figures: measured[each] as QueryFigures,
    }));
    for (const { query, layout, figures } of ofLayout) figures.equal &&= await areEqual(client, layout, query);
    const recorded = await Promise.all(ofLayout.map(({ query, layout }) => recordRequests(layout, query)));
    for (let run = 0; run <= options.runs; run++) {
      for (const [each, { query, layout, figures }] of ofLayout.entries())
        await measureTurn(client, layout, { query, requests: recorded[each] ?? [] }, figures, run, options);
    }
    for (const { query, layout, figures } of ofLayout) figures.equal &&= await areEqual(client, layout, query);
    for (const figures of measured) {
      figures.median = mediansOf(figures);
      if (figures !== measured[0]) figures.few = measured[0];
    }
    all.push(...measured);
  }
  return all;
}

function emptyFigures({ name, bare }: SuiteCase, ranges: number): QueryFigures {
  const none = (): Runs => ({ service: [], requests: [], gateway: [], ...(bare && { bare: [] }) });
  const median = { p50: NaN, p99: NaN, perSecond: NaN };
  return {
    name,
    ranges,
    equal: true,
    alone: none(),
    busy: none(),
    median: { service: median, requests: median, gateway: median },
    few: undefined,
  };
}

/** What the API sends to Elasticsearch for some requests of a case, after others, so that it has ABIs and scopes. */
async function recordRequests({ recordedApiUrl, proxy }: IndexedLayout, query: SuiteCase): Promise<Round[][]> {
  const recorded: Round[][] = [];
  for (let index = 0; index < 2 * RECORDED; index++) {
    proxy.take();
    await post(`${recordedApiUrl}${query.path}`, query.next('service'));
    if (index >= RECORDED) recorded.push(proxy.take());
  }
  return recorded;
}

async function measureTurn(
  client: Client,
  { apiUrl, gatewayUrl }: IndexedLayout,
  { query, requests }: { query: SuiteCase; requests: readonly (readonly Round[])[] },
  figures: QueryFigures,
  run: number,
  { connections, seconds }: LoadOptions,
): Promise<void> {
  const { bare } = query;
  let next = 0;
  const senders: Record<Side, (() => Promise<unknown>) | undefined> = {
    service: () => post(`${apiUrl}${query.path}`, query.next('service')),
    bare: bare && (() => bare(client, query.next('bare'))),
    requests: () => sendAgain(client, requests[next++ % requests.length] ?? []),
    gateway: () => post(`${gatewayUrl}${query.path}`, query.next('service')),
  };
  for (const side of SIDES) {
    const send = senders[side];
    if (!send) continue;
    const alone = await load(send, { connections: 1, seconds });
    const busy = await load(send, { connections, seconds });
    if (run === 0) continue;
    figures.alone[side]?.push(alone);
    figures.busy[side]?.push(busy);
  }
}

async function areEqual(client: Client, { apiUrl, gatewayUrl }: IndexedLayout, query: SuiteCase): Promise<boolean> {
  for (let index = 0; index < COMPARED; index++) {
    const request = query.next('bare');
    const expected = query.bareFacts((await query.bare?.(client, request)) ?? []);
    for (const url of [apiUrl, gatewayUrl]) {
      if (!isDeepStrictEqual(query.factsOf(await post(`${url}${query.path}`, request)), expected)) return false;
    }
  }
  return true;
}

function mediansOf({ alone, busy }: QueryFigures): QueryFigures['median'] {
  const of = (withOne: readonly LoadFigures[], withSeveral: readonly LoadFigures[]): Medians => ({
    p50: median(withOne.map(({ p50 }) => p50)),
    p99: median(withOne.map(({ p99 }) => p99)),
    perSecond: median(withSeveral.map(({ perSecond }) => perSecond)),
  });
  return {
    service: of(alone.service, busy.service),
    requests: of(alone.requests, busy.requests),
    gateway: of(alone.gateway, busy.gateway),
    ...(alone.bare && busy.bare && { bare: of(alone.bare, busy.bare) }),
  };
}

function median(values: readonly number[]): number {
  return quantile(
    [...values].sort((left, right) => left - right),
    0.5,
  );
}

/**
 * Ratios to the bare search, of the API and of its requests to Elasticsearch, and to the same case with few ranges, each as
 * `median (lowest to highest)`; empty where there is nothing to compare with.
 */
export function ratiosOf({
  alone,
  busy,
  few,
}: QueryFigures): Record<'p50' | 'p99' | 'perSecond' | 'manyToFew' | 'requestsP50' | 'requestsPerSecond', string> {
  return {
    requestsP50: spreadOf(alone.requests, alone.bare, 'p50'),
    requestsPerSecond: spreadOf(busy.requests, busy.bare, 'perSecond'),
    p50: spreadOf(alone.service, alone.bare, 'p50'),
    p99: spreadOf(alone.service, alone.bare, 'p99'),
    perSecond: spreadOf(busy.service, busy.bare, 'perSecond'),
    manyToFew: spreadOf(alone.service, few?.alone.service, 'p50'),
  };
}

function spreadOf(
  values: readonly LoadFigures[],
  base: readonly LoadFigures[] | undefined,
  figure: keyof LoadFigures,
): string {
  if (!base) return '';
  const ratios = values.map((value, run) => value[figure] / (base[run]?.[figure] ?? NaN));
  const ascending = ratios.sort((left, right) => left - right);
  const [lowest = NaN, highest = NaN] = [ascending[0], ascending.at(-1)];
  return `${quantile(ascending, 0.5).toFixed(2)} (${lowest.toFixed(2)}-${highest.toFixed(2)})`;
}
