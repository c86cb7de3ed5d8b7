import { benchGrowth } from './growth/growth-benchmark';
import { benchIndexing } from './indexing-benchmark';
import { benchMemory } from './memory/memory-benchmark';
import { benchPages } from './pages-benchmark';
import { benchQueries } from './queries/queries-benchmark';
import { benchStream } from './stream-benchmark';
import { benchSuite } from './suite-benchmark';
import { benchSuiteQueries } from './suite-queries/suite-queries-benchmark';
import { benchAll } from './targets/all-benchmarks';
import { showTargets } from './targets/show-targets';

interface Benchmark {
  /** What it measures, in one line. */
  summary: string;
  /** Runs with the arguments after its name. Sets the exit status if what it compared is not equal. */
  run(args: string[]): Promise<void>;
}

/** The benchmarks by the names that `npm run bench --` takes. */
export const BENCHMARKS: Readonly<Record<string, Benchmark>> = {
  indexing: {
    summary: 'decoding alone, and the embedded set from the socket to the committed block',
    run: benchIndexing,
  },
  queries: { summary: 'requests to the embedded set, against Express that sends the same bytes', run: benchQueries },
  growth: { summary: 'the embedded set with a chain that is continued to 64 times its length', run: benchGrowth },
  suite: { summary: 'the distributed set from the socket to the commit, against bare bulk requests', run: benchSuite },
  'suite-queries': {
    summary: 'requests to the distributed set, against the bare searches that they need',
    run: benchSuiteQueries,
  },
  stream: { summary: 'from a block at the node to its event on the stream and to a response', run: benchStream },
  memory: { summary: 'resident memory of each process while the store is slow or away', run: benchMemory },
  pages: { summary: 'pages of get_actions at every depth', run: benchPages },
  all: { summary: 'all that have targets, one after another, and how they meet them', run: benchAll },
  targets: { summary: 'how the files of earlier runs meet the targets', run: showTargets },
};
