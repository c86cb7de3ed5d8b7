import path from 'node:path';
import { Worker } from 'node:worker_threads';
import type { ReadComponent } from '@antelope-history/gateway-proxy';
import { shipHealth } from '@antelope-history/reader-stage';
import { HistoryError, isErrorCode } from '@antelope-history/schemas';
import type { Config, LoggedError } from '@antelope-history/app-runtime';
import type { FromIngestion, ToIngestion } from './ingestion-messages';

type MetricsJson = Extract<FromIngestion, { kind: 'metrics' }>['metrics'];

/** Starts and controls the ingestion thread. Indexing runs on a thread of its own so that it does not delay responses. */
export class IngestionWorker {
  private readonly worker: Worker;
  private readonly waiting = new Map<number, (metrics: MetricsJson) => void>();
  private lastRequestId = 0;
  private ended = false;
  private lastErrorLogged: LoggedError | undefined;
  private onReady: () => void = () => undefined;
  private onFailure: (error: unknown) => void = () => undefined;
  private onEnd: (() => void) | undefined;

  private constructor(config: Config) {
    this.worker = new Worker(path.join(__dirname, 'ingestion-thread.js'), { workerData: config });
    this.worker.on('message', (message: FromIngestion) => this.onMessage(message));
    this.worker.on('error', (error) => this.onFailure(error));
    this.worker.on('exit', () => this.onExit());
  }

  /** Resolves when the store is open and the stages run. `fail` is called when the thread fails after that. */
  static async start(config: Config, fail: (error: unknown) => void): Promise<IngestionWorker> {
    const ingestion = new IngestionWorker(config);
    await new Promise<void>((resolve, reject) => {
      ingestion.onReady = resolve;
      ingestion.onFailure = reject;
    });
    ingestion.onFailure = fail;
    return ingestion;
  }

  /** The metrics of the thread; none after it has ended. */
  metrics(): Promise<MetricsJson> {
    if (this.ended) return Promise.resolve([]);
    const id = ++this.lastRequestId;
    return new Promise((resolve) => {
      this.waiting.set(id, resolve);
      this.send({ kind: 'metrics', id });
    });
  }

  /** The last error that the thread logged, as it was at the last call of `metrics`. */
  lastError(): LoggedError | undefined {
    return this.lastErrorLogged;
  }

  /** The health of the connection to the chain node, derived from the metrics of the thread. */
  async shipHealth(): ReturnType<ReadComponent> {
    return shipHealth(await this.metrics());
  }

  /** Stops the stages in order and ends the thread. */
  stop(): Promise<void> {
    if (this.ended) return Promise.resolve();
    return new Promise((resolve) => {
      this.onEnd = resolve;
      this.send({ kind: 'stop' });
    });
  }

  private send(message: ToIngestion): void {
    this.worker.postMessage(message);
  }

  private onMessage(message: FromIngestion): void {
    switch (message.kind) {
      case 'ready':
        return this.onReady();
      case 'failed':
        return this.onFailure(toError(message.error));
      case 'metrics':
        this.lastErrorLogged = message.lastError;
        this.waiting.get(message.id)?.(message.metrics);
        this.waiting.delete(message.id);
    }
  }

  private onExit(): void {
    this.ended = true;
    for (const resolve of this.waiting.values()) resolve([]);
    this.waiting.clear();
    if (this.onEnd) this.onEnd();
    else this.onFailure(new HistoryError('INTERNAL', 'the ingestion thread ended unexpectedly'));
  }
}

function toError({ code, message }: { code: string | undefined; message: string }): Error {
  return code !== undefined && isErrorCode(code) ? new HistoryError(code, message) : new Error(message);
}
