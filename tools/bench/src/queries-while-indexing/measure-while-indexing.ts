import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { GrowthCase } from '../growth/growth-cases';
import { fixedResponse } from '../growth/measure-growth';
import type { LoadFigures } from '../load';
import type { LoadOptions } from '../load-options';
import type { FollowedChain } from './followed-chain';
import { LoadClient } from './load-client';

/** Figures of the service while it has nothing to index and while it indexes, by run. */
export interface WhileIndexingFigures {
  /** Seconds of a round without requests. */
  indexingAlone: number[];
  cases: CaseWhileIndexing[];
}

export interface CaseWhileIndexing {
  name: string;
  /** Requests while nothing is indexed. */
  alone: LoadFigures[];
  /** Requests while a round is indexed, and the seconds that the round takes. */
  beside: LoadFigures[];
  indexing: number[];
  /** Whether the response was the same at the beginning, in every round and at the end. */
  equal: boolean;
}

/** Rounds that the measurement takes after the first one. */
export function roundsOf(cases: number, runs: number): number {
  return (runs + 1) * (cases + 1);
}

/** Measures indexing without requests, and each case without and with indexing, in turns. The first run does not count. */
export async function measureWhileIndexing(
  chain: FollowedChain,
  queries: readonly GrowthCase[],
  { runs, seconds, connections }: LoadOptions,
): Promise<WhileIndexingFigures> {
  const figures: WhileIndexingFigures = {
    indexingAlone: [],
    cases: queries.map(({ name }) => ({ name, alone: [], beside: [], indexing: [], equal: true })),
  };
  const expected = await Promise.all(queries.map((query) => fixedResponse(chain.url, query)));
  const client = LoadClient.start();
  try {
    for (let run = 0; run <= runs; run++) {
      const indexingAlone = await chain.indexRound();
      if (run > 0) figures.indexingAlone.push(indexingAlone);
      for (const [index, query] of queries.entries()) {
        const ofCase = figures.cases[index] as CaseWhileIndexing;
        const begin = (): void => client.begin(`${chain.url}${query.path}`, query.fixed, connections);
        begin();
        await sleep(seconds * 1000);
        const alone = await client.end();
        begin();
        const [indexing, response] = await Promise.all([chain.indexRound(), fixedResponse(chain.url, query)]);
        const beside = await client.end();
        ofCase.equal &&= isDeepStrictEqual(response, expected[index]);
        if (run === 0) continue;
        ofCase.alone.push(alone);
        ofCase.beside.push(beside);
        ofCase.indexing.push(indexing);
      }
    }
    const after = await Promise.all(queries.map((query) => fixedResponse(chain.url, query)));
    for (const [index, ofCase] of figures.cases.entries()) {
      ofCase.equal &&= isDeepStrictEqual(after[index], expected[index]);
    }
    return figures;
  } finally {
    client.stop();
  }
}
