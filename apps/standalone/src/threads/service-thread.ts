import { type ResourceLimits, type Transferable, Worker } from 'node:worker_threads';
import { HistoryError } from '@antelope-history/schemas';
import type { Config, LoggedError, MetricsJson } from '@antelope-history/app-runtime';
import { fromPostedError, type FromThread, type ToThread } from './thread-messages';

export interface ServiceThreadOptions<Result> {
  /** The compiled file that calls `runThread`. */
  file: string;
  /** The name of the thread in errors. */
  name: string;
  config: Config;
  /** By default those of V8. */
  memory?: ResourceLimits;
  onResult?(result: Result): void;
  /** Called when the thread fails, or ends without having been stopped, after it has become ready. */
  fail(error: unknown): void;
}

/** A thread of the process, which runs a part of the service that must not delay the others. */
export class ServiceThread<Task = never, Result = never> {
  private readonly worker: Worker;
  private readonly waiting = new Map<number, (metrics: MetricsJson) => void>();
  private lastRequestId = 0;
  private ended = false;
  private lastErrorLogged: LoggedError | undefined;
  private onReady: () => void = () => undefined;
  private onFailure: (error: unknown) => void = () => undefined;
  private onEnd: (() => void) | undefined;

  private constructor(private readonly options: ServiceThreadOptions<Result>) {
    this.worker = new Worker(options.file, {
      workerData: options.config,
      ...(options.memory && { resourceLimits: options.memory }),
    });
    this.worker.on('message', (message: FromThread<Result>) => this.onMessage(message));
    this.worker.on('error', (error) => this.onFailure(error));
    this.worker.on('exit', () => this.onExit());
  }

  /** Resolves when the thread is ready. Rejects with its error when it cannot start. */
  static async start<Task = never, Result = never>(
    options: ServiceThreadOptions<Result>,
  ): Promise<ServiceThread<Task, Result>> {
    const thread = new ServiceThread<Task, Result>(options);
    await new Promise<void>((resolve, reject) => {
      thread.onReady = resolve;
      thread.onFailure = reject;
    });
    thread.onFailure = options.fail;
    return thread;
  }

  /** Gives the thread a task, and the buffers of `transfer` with it. */
  send(task: Task, transfer: Transferable[] = []): void {
    this.post({ kind: 'task', task }, transfer);
  }

  /** The metrics of the thread; none after it has ended. */
  metrics(): Promise<MetricsJson> {
    if (this.ended) return Promise.resolve([]);
    const id = ++this.lastRequestId;
    return new Promise((resolve) => {
      this.waiting.set(id, resolve);
      this.post({ kind: 'metrics', id });
    });
  }

  /** The last error that the thread logged, as it was at the last call of `metrics`. */
  lastError(): LoggedError | undefined {
    return this.lastErrorLogged;
  }

  /** Closes what the thread has opened and ends it. */
  stop(): Promise<void> {
    if (this.ended) return Promise.resolve();
    return new Promise((resolve) => {
      this.onEnd = resolve;
      this.post({ kind: 'stop' });
    });
  }

  private post(message: ToThread<Task>, transfer: Transferable[] = []): void {
    this.worker.postMessage(message, transfer);
  }

  private onMessage(message: FromThread<Result>): void {
    switch (message.kind) {
      case 'ready':
        return this.onReady();
      case 'failed':
        return this.onFailure(fromPostedError(message.error));
      case 'result':
        return this.options.onResult?.(message.result);
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
    else this.onFailure(new HistoryError('INTERNAL', `the ${this.options.name} thread ended unexpectedly`));
  }
}
