import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { HistoryError, isErrorCode } from '@antelope-history/schemas';
import { createHttpApp, type HttpRoute } from '../http/http-app';
import { listen } from '../http/listen';
import { Registry } from '../metrics';
import type { ProgramContext } from '../program';
import type { FromOperations, OperationsThreadData, ToOperations } from './operations-messages';

/** The compiled file: worker threads cannot run TypeScript, so that tests from source start it too. */
const THREAD = path.resolve(__dirname, '../../dist/operations/operations-thread.js');
/** Above the time limit of every response, so that a process without a response for this time hangs. */
const SILENT_AFTER_MS = 60_000;
const THREAD_MEMORY_MB = 64;

export interface OperationsOptions {
  /** The program's name. */
  name: string;
  /** The address to listen on; without a port there is no listener. */
  address: { host: string; port: number | undefined };
  /** The pages. The operations thread answers /live itself. */
  routes: HttpRoute[];
  silentAfterMs?: number;
}

/**
 * Starts the operations listener of a process on a thread of its own, so that it answers while the main thread is busy. The
 * thread reads the pages from the main thread over the loopback interface. Rejects with `CONFIG_INVALID` when it cannot
 * listen on the address.
 */
export async function startOperations(
  { log, onStop, fail }: Pick<ProgramContext, 'log' | 'onStop' | 'fail'>,
  { name, address, routes, silentAfterMs = SILENT_AFTER_MS }: OperationsOptions,
): Promise<void> {
  const { host, port } = address;
  if (port === undefined) return;
  // A separate registry: operations requests do not count as client requests.
  const app = createHttpApp({ name, log, registry: new Registry(), routes });
  const mainThread = await listen(app, { host: '127.0.0.1', port: 0 });
  onStop(() => mainThread.close());
  const thread = new OperationsThread({ address: { host, port }, mainThreadUrl: mainThread.url, silentAfterMs });
  onStop(() => thread.stop());
  const url = await thread.listening(fail);
  log.info({ url }, 'operations listening');
}

class OperationsThread {
  private readonly worker: Worker;
  private onListening: (url: string) => void = () => undefined;
  private onFailure: (error: unknown) => void = () => undefined;
  private onStopped: (() => void) | undefined;
  private ended = false;

  constructor(workerData: OperationsThreadData) {
    this.worker = new Worker(THREAD, { workerData, resourceLimits: { maxOldGenerationSizeMb: THREAD_MEMORY_MB } });
    this.worker.on('message', (message: FromOperations) => this.onMessage(message));
    this.worker.on('error', (error) => this.onFailure(error));
    this.worker.on('exit', () => this.onExit());
  }

  /** Resolves with the URL of the listener. `fail` is called when the thread ends later by itself. */
  async listening(fail: (error: unknown) => void): Promise<string> {
    const url = await new Promise<string>((resolve, reject) => {
      this.onListening = resolve;
      this.onFailure = reject;
    });
    this.onFailure = fail;
    return url;
  }

  /** Resolves after the responses in progress. */
  async stop(): Promise<void> {
    if (this.ended) return;
    await new Promise<void>((resolve) => {
      this.onStopped = resolve;
      this.worker.postMessage({ kind: 'stop' } satisfies ToOperations);
    });
    await this.worker.terminate();
  }

  private onMessage(message: FromOperations): void {
    switch (message.kind) {
      case 'listening':
        return this.onListening(message.url);
      case 'failed':
        this.ended = true;
        void this.worker.terminate();
        return this.onFailure(toError(message.error));
      case 'stopped':
        return this.onStopped?.();
    }
  }

  private onExit(): void {
    const isExpected = this.ended || this.onStopped;
    this.ended = true;
    this.onStopped?.();
    if (!isExpected) this.onFailure(new HistoryError('INTERNAL', 'the operations thread ended by itself'));
  }
}

/** The class of an error is lost in messages between threads. */
function toError({ code, message }: { code: string | undefined; message: string }): Error {
  return code !== undefined && isErrorCode(code) ? new HistoryError(code, message) : new Error(message);
}
