import { connect } from 'node:net';
import { abortableSleep, hostOf } from '@antelope-history/connectivity';

const PROBE_EVERY_MS = 250;
const PROBE_LIMIT_MS = 1_000;
const DEFAULT_PORTS: Record<string, number> = { 'ws:': 80, 'wss:': 443 };

/**
 * Resolves when the port of a URL, which refused connections at first, accepts one, or when `stopping` is aborted. Never resolves
 * for a port that accepts the first connection: the node then has another problem, which an earlier attempt would not solve.
 */
export async function waitForPort(url: string, stopping: AbortSignal): Promise<void> {
  if (await isListening(url)) return new Promise(() => undefined);
  while (!stopping.aborted) {
    await abortableSleep(PROBE_EVERY_MS, stopping);
    if (await isListening(url)) return;
  }
}

function isListening(url: string): Promise<boolean> {
  const parsed = new URL(url);
  const { port, protocol } = parsed;
  return new Promise((resolve) => {
    const socket = connect({
      host: hostOf(parsed),
      port: Number(port) || (DEFAULT_PORTS[protocol] ?? 80),
    });
    const end = (listens: boolean): void => {
      socket.destroy();
      resolve(listens);
    };
    socket.setTimeout(PROBE_LIMIT_MS, () => end(false));
    socket.on('connect', () => end(true));
    socket.on('error', () => end(false));
  });
}
