import { parentPort, type Transferable, workerData } from 'node:worker_threads';
import { type Config, createLogger, lastErrorOf, type Logger, Registry } from '@antelope-history/app-runtime';
import { ThreadList } from './thread-list';
import { type FromThread, type ToThread, toPostedError } from './thread-messages';

export interface ThreadContext<Result> {
  config: Config;
  log: Logger;
  registry: Registry;
  /** Receives the threads that this one starts: what they report is a part of what it reports. */
  threads: ThreadList;
  /** Posts a result to the main thread, which takes over the buffers of `transfer`. */
  send(result: Result, transfer?: Transferable[]): void;
  onStop(close: () => void | Promise<void>): void;
  /** Ends the process with an error. */
  fail(error: unknown): void;
}

/** Takes the tasks of the one kind that its `ServiceThread` sends. */
export type TaskHandler = (task: never) => void;

/**
 * Runs the calling thread of a `ServiceThread`: `start` composes it and resolves with what handles the tasks of the main thread.
 *
 * @param name the name of the thread in the log
 */
export function runThread<Result>(name: string, start: (context: ThreadContext<Result>) => Promise<TaskHandler>): void {
  const port = parentPort;
  if (!port) return;
  const config = workerData as Config;
  const log = createLogger(name, config.logLevel);
  const registry = new Registry();
  const threads = new ThreadList();
  const closers: (() => void | Promise<void>)[] = [];
  const post = (message: FromThread<Result>, transfer?: Transferable[]): void =>
    port.postMessage(message, transfer ?? []);
  const fail = (error: unknown): void => post({ kind: 'failed', error: toPostedError(error) });
  let handle: TaskHandler | undefined;

  const stop = async (): Promise<void> => {
    for (let close = closers.pop(); close; close = closers.pop()) await close();
    port.close();
  };
  const postMetrics = async (id: number): Promise<void> => {
    const metrics = [await registry.getMetricsAsJSON(), ...(await threads.metrics())].flat();
    post({ kind: 'metrics', id, metrics, lastError: threads.newestError(lastErrorOf(log)) });
  };

  port.on('message', (message: ToThread<never>) => {
    switch (message.kind) {
      case 'stop':
        return void stop().catch(fail);
      case 'metrics':
        return void postMetrics(message.id).catch(fail);
      case 'task':
        handle?.(message.task);
    }
  });
  const send = (result: Result, transfer?: Transferable[]): void => post({ kind: 'result', result }, transfer);
  start({ config, log, registry, threads, send, onStop: (close) => void closers.push(close), fail }).then((handler) => {
    handle = handler;
    post({ kind: 'ready' });
  }, fail);
}
