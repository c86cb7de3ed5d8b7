import type { Recording } from '@antelope-history/test-support/recordings';
import type { ShipReplay } from './ship-replay';

/** The messages that ship-replay sends to the process that started it with an IPC channel. */
export type ReplayMessage =
  | { type: 'serving'; url: string; lastBlockNum: number; length: number }
  | { type: 'position'; position: number }
  | { type: 'failed'; reason: string };

const REPORT_EVERY_MS = 100;

/**
 * Reports the replay's URL and the last block of its recording at once, and its position from time to time, to the parent
 * process if there is a channel to it. The returned function ends the reports.
 */
export function startReport(replay: ShipReplay, { messages }: Recording): () => void {
  const lastBlock = messages.findLast(({ thisBlock }) => thisBlock !== undefined)?.thisBlock;
  send({ type: 'serving', url: replay.url, lastBlockNum: lastBlock?.num ?? 0, length: replay.stats.length });
  const timer = setInterval(() => send({ type: 'position', position: replay.stats.position }), REPORT_EVERY_MS);
  return () => clearInterval(timer);
}

/** Reports why nothing is served. False when there is no channel to a parent process. */
export function reportFailure(reason: string): boolean {
  return send({ type: 'failed', reason });
}

function send(message: ReplayMessage): boolean {
  if (!process.connected) return false;
  process.send?.(message);
  return true;
}
