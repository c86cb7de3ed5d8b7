import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { ERRORS, type ErrorCode, HistoryError } from '@antelope-history/schemas';
import { createHttpApp, type HttpRoute } from '../http/http-app';
import { listen } from '../http/listen';
import { Registry } from '../metrics';
import type { ProgramContext } from '../program';
import type { FromOperations, OperationsThreadData, ToOperations } from './operations-messages';

/** The built one: a test that runs this from its source starts a built thread too. */
const THREAD = path.resolve(__dirname, '../../dist/operations/operations-thread.js');
/** Above it a page takes longer than any response may take, so that the process can only be stuck. */
const SILENT_AFTER_MS = 60_000;
const THREAD_MEMORY_MB = 64;

export interface OperationsOptions {
  /** The program's name. */
  name: string;
  /** Where it listens; nowhere without a port. */
  address: { host: string; port: number | undefined };
  /** What it shows. /live is answered in any case. */
  routes: HttpRoute[];
  silentAfterMs?: number;
}

/**
 * The listener for those who watch a process, on a thread of its own: it answers while the main thread is busy with
 * responses. It takes the pages from the main thread over the loopback interface. Rejects with `CONFIG_INVALID` when
 * the address can't be had.
 */
export async function startOperations(
  { log, onStop, fail }: Pick<ProgramContext, 'log' | 'onStop' | 'fail'>,
  { name, address, routes, silentAfterMs = SILENT_AFTER_MS }: OperationsOptions,
): Promise<void> {
  const { host, port } = address;
  if (port === undefined) return;
  // Requests for operations are not counted among those of clients.
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

  /** Where it listens. `fail` is called when it ends later by itself. */
  async listening(fail: (error: unknown) => void): Promise<string> {
    const url = await new Promise<string>((resolve, reject) => {
      this.onListening = resolve;
      this.onFailure = reject;
    });
    this.onFailure = fail;
    return url;
  }

  /** Responses under way are sent first. */
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

/** Errors lose their class between threads. */
function toError({ code, message }: { code: string | undefined; message: string }): Error {
  return code !== undefined && code in ERRORS ? new HistoryError(code as ErrorCode, message) : new Error(message);
}
