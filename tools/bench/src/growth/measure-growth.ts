import { isDeepStrictEqual } from 'node:util';
import { load, post } from '../load';
import type { RecordedFacts } from '../suite-queries/chain-facts';
import { type GrowthCase, growthCases } from './growth-cases';
import type { GrownChain } from './grown-chain';

/** Figures of requests, by length of the chain. */
export interface GrowthFigures {
  /** Milliseconds from the start of the service to its first response. */
  startMs: number[];
  cases: CaseFigures[];
}

interface CaseFigures {
  name: string;
  /** Medians with one connection, in milliseconds: by length, then by run. */
  p50: number[][];
  /** Whether responses about the first round are the same at each length. */
  equal: boolean;
}

/** Starts the service on each chain, and measures every case in turns. The first run does not count. */
export async function measureQueries(
  chains: readonly GrownChain[],
  facts: RecordedFacts,
  { runs, seconds }: { runs: number; seconds: number },
): Promise<GrowthFigures> {
  const lastRecorded = chains[0]?.lastBlockOfFirstRound ?? 0;
  const served = chains.map((grown) => ({
    grown,
    cases: growthCases(facts, grown.chain, grown.rounds, lastRecorded),
  }));
  const startMs: number[] = [];
  for (const { grown, cases } of served) startMs.push(await grown.start((url) => send(url, cases[0])));
  const figures: GrowthFigures = { startMs, cases: [] };
  for (const [index, { name }] of (served[0]?.cases ?? []).entries()) {
    const ofLength = served.map(({ grown, cases }) => ({ url: grown.url, query: cases[index] as GrowthCase }));
    const p50: number[][] = ofLength.map(() => []);
    for (let run = 0; run <= runs; run++) {
      for (const [length, { url, query }] of ofLength.entries()) {
        const measured = await load(() => send(url, query), { connections: 1, seconds });
        if (run > 0) p50[length]?.push(measured.p50);
      }
    }
    const fixed = await Promise.all(ofLength.map(({ url, query }) => fixedResponse(url, query)));
    figures.cases.push({ name, p50, equal: fixed.every((each) => isDeepStrictEqual(each, fixed[0])) });
  }
  return figures;
}

const send = (url: string, query: GrowthCase | undefined): Promise<string> =>
  post(`${url}${query?.path}`, query?.next() ?? {});

/** The response to a case's fixed request, without the numbers that the chain's length changes in every response. */
export async function fixedResponse(url: string, { path, fixed }: GrowthCase): Promise<object> {
  const response = JSON.parse(await post(`${url}${path}`, fixed)) as Record<string, unknown>;
  return { ...response, last_irreversible_block: undefined, head_block_num: undefined };
}
