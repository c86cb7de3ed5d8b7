/** Runs with the arguments after the benchmark's name. Sets the exit status if what it compared is not equal. */
type RunBenchmark = (args: string[]) => Promise<void>;

interface Benchmark {
  /** What it measures, in one line. */
  summary: string;
  /** Loads only this benchmark: all together take a second. */
  load(): Promise<RunBenchmark>;
}

/** The benchmarks by the names that `npm run bench --` takes. */
export const BENCHMARKS: Readonly<Record<string, Benchmark>> = {
  indexing: {
    summary: 'decoding alone, and the embedded set from the socket to the committed block',
    load: async () => (await import('./indexing-benchmark.js')).benchIndexing,
  },
  queries: {
    summary: 'requests to the embedded set, against Express that sends the same bytes',
    load: async () => (await import('./queries/queries-benchmark.js')).benchQueries,
  },
  'api-threads': {
    summary: 'requests to the embedded set with one and with two threads that render responses',
    load: async () => (await import('./api-threads/api-threads-benchmark.js')).benchApiThreads,
  },
  'queries-while-indexing': {
    summary: 'requests to the embedded set while it indexes as fast as it can',
    load: async () => (await import('./queries-while-indexing/while-indexing-benchmark.js')).benchWhileIndexing,
  },
  growth: {
    summary: 'the embedded set with a chain that is continued to 64 times its length',
    load: async () => (await import('./growth/growth-benchmark.js')).benchGrowth,
  },
  suite: {
    summary: 'the distributed set from the socket to the commit, against bare bulk requests',
    load: async () => (await import('./suite-benchmark.js')).benchSuite,
  },
  'suite-queries': {
    summary: 'requests to the distributed set, against the bare searches that they need',
    load: async () => (await import('./suite-queries/suite-queries-benchmark.js')).benchSuiteQueries,
  },
  stream: {
    summary: 'from a block at the node to its event on the stream and to a response',
    load: async () => (await import('./stream-benchmark.js')).benchStream,
  },
  memory: {
    summary: 'resident memory of each process while the store is slow or away',
    load: async () => (await import('./memory/memory-benchmark.js')).benchMemory,
  },
  pages: {
    summary: 'pages of get_actions at every depth',
    load: async () => (await import('./pages-benchmark.js')).benchPages,
  },
  all: {
    summary: 'all that have targets, one after another, and how they meet them',
    load: async () => (await import('./targets/all-benchmarks.js')).benchAll,
  },
  targets: {
    summary: 'how the files of earlier runs meet the targets',
    load: async () => (await import('./targets/show-targets.js')).showTargets,
  },
};
