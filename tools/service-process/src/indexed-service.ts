import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openRecording } from '@antelope-history/test-support/recordings';
import { stop } from './child';
import { startReplay } from './replay-process';
import { startService, untilCommitted } from './service-process';

/** A running service that has indexed a whole recording. */
export interface IndexedService {
  /** Where its gateway listens: `http://…`. */
  url: string;
  /** Where its operations listener is: `http://…`. */
  operationsUrl: string;
  /** Its data directory. */
  data: string;
  pid: number;
  /** Ends it and removes its data. */
  stop(): Promise<void>;
}

/**
 * Replays a recording into a service of its own; resolves when the last block is committed. `environment` configures the
 * service, `replayOptions` are of the replay's command line.
 */
export async function startIndexedService(
  folder: string,
  environment: Record<string, string> = {},
  replayOptions: string[] = [],
): Promise<IndexedService> {
  const lastBlock = openRecording(folder).messages.at(-1)?.thisBlock?.num ?? 0;
  const data = mkdtempSync(path.join(tmpdir(), 'antelope-history-'));
  const replay = await startReplay(folder, replayOptions);
  const service = startService(replay.url, data, environment);
  const stopAll = async (): Promise<void> => {
    await stop(service.child);
    await stop(replay.child);
    rmSync(data, { recursive: true, force: true });
  };
  try {
    const [url, operationsUrl] = await Promise.all([service.gateway, service.operations]);
    await untilCommitted(data, lastBlock);
    return { url, operationsUrl, data, pid: service.child.pid ?? 0, stop: stopAll };
  } catch (error) {
    await stopAll();
    throw error;
  }
}
