import { setTimeout as sleep } from 'node:timers/promises';
import { Writable } from 'node:stream';
import { HistoryError } from '@antelope-history/schemas';
import { createLogger, Registry, type Config } from '@antelope-history/app-runtime';
import { startIngestion } from '../src/ingestion/ingestion';
import { ThreadList } from '../src/threads/thread-list';

/** A line of the log. */
export interface LogLine {
  level: number;
  time: number;
  msg: string;
  code?: string;
  waitSeconds?: number;
  blockNum?: number;
}

export interface RunOptions {
  urls: string[];
  path: string;
  chainId?: string;
  startBlock?: number;
  maxMessagesInFlight?: number;
  maxMessageBytes?: number;
  maxBytesInFlight?: number;
  reconnectMinSeconds?: number;
  reconnectMaxSeconds?: number;
  silenceSeconds?: number;
  verifyBlocks?: Config['indexer']['verifyBlocks'];
}

/** The three stages over the embedded store and a real socket, with their log, metrics and failure. */
export class IngestionRun {
  readonly log: LogLine[] = [];
  readonly registry = new Registry();
  readonly failures: unknown[] = [];
  private readonly closers: (() => void | Promise<void>)[] = [];

  private constructor(private readonly options: RunOptions) {}

  static async start(options: RunOptions): Promise<IngestionRun> {
    const run = new IngestionRun(options);
    await startIngestion({
      config: run.config(),
      log: createLogger('test', 'debug', run.logStream()),
      registry: run.registry,
      threads: new ThreadList(),
      onStop: (close) => void run.closers.push(close),
      fail: (error) => void run.failures.push(error),
    });
    return run;
  }

  /** Stops the stages in order and closes the store. */
  async stop(): Promise<void> {
    for (let close = this.closers.pop(); close; close = this.closers.pop()) await close();
  }

  /** The sum of a metric over all series, or over those with the given labels. */
  async metric(name: string, labels: Record<string, string> = {}): Promise<number> {
    const metric = await this.registry.getSingleMetric(name)?.get();
    const values = metric?.values ?? [];
    const wanted = values.filter((value) => Object.entries(labels).every(([key, text]) => value.labels[key] === text));
    return wanted.reduce((sum, { value }) => sum + value, 0);
  }

  async committed(): Promise<number> {
    return this.metric('history_committed_block');
  }

  /** Waits for a condition; the error of a timeout contains the last log lines. */
  async until(what: string, holds: () => boolean | Promise<boolean>, limitMs = 60_000): Promise<void> {
    const end = Date.now() + limitMs;
    while (!(await holds())) {
      if (this.failures.length > 0) throw this.failures[0];
      if (Date.now() > end) {
        const last = this.log.slice(-5).map(({ msg }) => msg);
        throw new Error(`not within ${limitMs} ms: ${what}; last logged: ${last.join(' | ')}`);
      }
      await sleep(5);
    }
  }

  /** The code of the failure that ended the run. */
  async failure(): Promise<HistoryError> {
    const end = Date.now() + 60_000;
    while (this.failures.length === 0 && Date.now() < end) await sleep(5);
    const [error] = this.failures;
    if (error instanceof HistoryError) return error;
    throw new Error(`the run did not give up with an error of ours but ${String(error)}`);
  }

  /** The pauses between the connection attempts so far, in seconds. */
  waits(): number[] {
    return this.log.flatMap(({ waitSeconds }) => (waitSeconds === undefined ? [] : [waitSeconds]));
  }

  private config(): Config {
    const { options } = this;
    return {
      logLevel: 'debug',
      chainId: options.chainId,
      ship: {
        urls: options.urls,
        startBlock: options.startBlock ?? 0,
        maxMessagesInFlight: options.maxMessagesInFlight ?? 64,
        maxMessageBytes: options.maxMessageBytes ?? 2 ** 30,
        maxBytesInFlight: options.maxBytesInFlight ?? 2 ** 26,
        reconnectMinSeconds: options.reconnectMinSeconds ?? 0.02,
        reconnectMaxSeconds: options.reconnectMaxSeconds ?? 0.2,
        silenceSeconds: options.silenceSeconds ?? 0,
      },
      store: { kind: 'lmdb', lmdb: { path: options.path, mapSizeBytes: 0 } },
      index: { dataFields: [] as string[] },
      broker: { kind: 'memory' },
      keyValue: { kind: 'memory' },
      indexer: {
        batchBytes: 2 ** 24,
        batchSeconds: 0.01,
        stallSeconds: 2,
        verifyBlocks: options.verifyBlocks ?? 'new',
        // Threads run compiled files: apps/e2e tests them.
        deserializerThreads: 0,
      },
    } as Config;
  }

  private logStream(): Writable {
    return new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        for (const line of chunk.toString('utf8').split('\n')) {
          if (line !== '') this.log.push(JSON.parse(line) as LogLine);
        }
        done();
      },
    });
  }
}
