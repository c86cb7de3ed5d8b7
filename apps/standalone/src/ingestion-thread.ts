import { parentPort, workerData } from 'node:worker_threads';
import { createLogger, lastErrorOf, Registry, type Config } from '@antelope-history/app-runtime';
import { startIngestion } from './ingestion';
import type { FromIngestion, ToIngestion } from './ingestion-messages';

/** The entry point of the ingestion thread. Sends `ready` when the stages run, then replies to the main thread's messages. */
function main(): void {
  const port = parentPort;
  if (!port) return;
  const config = workerData as Config;
  const log = createLogger('ingestion', config.logLevel);
  const registry = new Registry();
  const closers: (() => void | Promise<void>)[] = [];
  const send = (message: FromIngestion): void => port.postMessage(message);
  const fail = (error: unknown): void => send({ kind: 'failed', error: describe(error) });

  const stop = async (): Promise<void> => {
    for (let close = closers.pop(); close; close = closers.pop()) await close();
    port.close();
  };
  port.on('message', (message: ToIngestion) => {
    if (message.kind === 'stop') stop().catch(fail);
    else
      registry
        .getMetricsAsJSON()
        .then((metrics) => send({ kind: 'metrics', id: message.id, metrics, lastError: lastErrorOf(log) }), fail);
  });
  startIngestion({ config, log, registry, onStop: (close) => void closers.push(close), fail }).then(
    () => send({ kind: 'ready' }),
    fail,
  );
}

/** An error loses its class when it is posted to another thread; the receiver needs its code. */
function describe(error: unknown): { code: string | undefined; message: string } {
  if (!(error instanceof Error)) return { code: undefined, message: String(error) };
  return { code: 'code' in error && typeof error.code === 'string' ? error.code : undefined, message: error.message };
}

main();
