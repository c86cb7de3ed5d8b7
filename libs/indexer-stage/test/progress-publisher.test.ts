import { Writable } from 'node:stream';
import { MemoryKeyValue } from '@antelope-history/key-value-memory';
import { createLogger, Registry } from '@antelope-history/app-runtime';
import { type ErrorCode, HistoryError } from '@antelope-history/schemas';
import type { ChainStatus } from '@antelope-history/store';
import { createIndexerMetrics } from '../src/indexer-metrics';
import { ProgressPublisher } from '../src/progress-publisher';
import type { StallReporter } from '../src/stall-reporter';

const STATUS: ChainStatus = {
  chainId: undefined,
  firstBlockNum: undefined,
  committed: undefined,
  committedTimestamp: undefined,
  dataFields: {},
  head: undefined,
  lastIrreversible: undefined,
  revision: 0,
};

function logInto(lines: string[]): Writable {
  return new Writable({
    write: (chunk, _encoding, done) => {
      lines.push(String(chunk));
      done();
    },
  });
}

/** A publisher whose store is maintained by `maintain`. */
function publisherOf(
  maintain: () => Promise<void>,
  signal = new AbortController().signal,
  lines: string[] = [],
): ProgressPublisher {
  return new ProgressPublisher({
    store: {
      getProgress: async () => ({ status: STATUS, positions: [], sequence: 0 }),
      maintain: async () => {
        await maintain();
        return STATUS;
      },
    },
    keyValue: new MemoryKeyValue(),
    log: createLogger('test', 'info', logInto(lines)),
    metrics: createIndexerMetrics(new Registry()),
    stalls: { observe: () => undefined, reportStall: async () => undefined } as unknown as StallReporter,
    signal,
  });
}

it('a store that hangs is asked to catch up once, however long it hangs, and a publication waits for no more', async () => {
  let commits = 0;
  let release = (): void => undefined;
  const hanging = new Promise<void>((resolve) => (release = resolve));
  const publisher = publisherOf(() => {
    commits++;
    return hanging;
  });
  const catchUps = Array.from({ length: 3_600 }, () => publisher.catchUp());
  const published = publisher.publish();
  release();
  await Promise.all([...catchUps, published]);
  expect(commits).toBe(1);
  await publisher.catchUp();
  expect(commits).toBe(2);
});

it('a store is not maintained any more after the stop, also when its turn comes later', async () => {
  let commits = 0;
  const stopping = new AbortController();
  const publisher = publisherOf(() => {
    commits++;
    return Promise.resolve();
  }, stopping.signal);
  const published = publisher.publish();
  const caughtUp = publisher.catchUp();
  stopping.abort();
  await Promise.all([published, caughtUp]);
  expect(commits).toBe(0);
});

it('a failure that a retry cannot help is logged once until the store is well again', async () => {
  const lines: string[] = [];
  const failures: (ErrorCode | undefined)[] = [
    'DECODE_FAILED',
    'DECODE_FAILED',
    'STORE_UNAVAILABLE',
    undefined,
    'DECODE_FAILED',
  ];
  const publisher = publisherOf(
    async () => {
      const code = failures.shift();
      if (code) throw new HistoryError(code, `the store ends with ${code}`);
    },
    undefined,
    lines,
  );
  const logged: number[] = [];
  while (failures.length > 0) {
    await publisher.catchUp();
    logged.push(lines.length);
  }
  expect(logged).toEqual([1, 1, 1, 1, 2]);
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({
    level: 40,
    msg: 'the store could not be maintained: the store ends with DECODE_FAILED',
  });
});
