import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { stop } from './program';
import { startReplay } from './replay';
import { startService, untilCommitted } from './service-process';

/** A running service that has indexed a whole recording. */
export interface IndexedService {
  /** URL of its gateway. */
  url: string;
  /** URL of its operations listener. */
  operationsUrl: string;
  /** Its data directory. */
  data: string;
  pid: number;
  /** Number of the block that the recording ends with. */
  lastBlockNum: number;
  /** Ends it and removes its data. */
  stop(): Promise<void>;
}

/**
 * Replays a recording into a service of its own; resolves when the last block is committed. `environment` configures the
 * service, `replayOptions` are added to the command line of tools/ship-replay.
 */
export async function startIndexedService(
  folder: string,
  environment: NodeJS.ProcessEnv = {},
  replayOptions: string[] = [],
): Promise<IndexedService> {
  const data = mkdtempSync(path.join(tmpdir(), 'antelope-history-'));
  const replay = await startReplay(folder, replayOptions);
  const { lastBlockNum } = replay;
  const service = startService(replay.url, data, environment);
  const stopAll = async (): Promise<void> => {
    await stop(service.child);
    await stop(replay.child);
    rmSync(data, { recursive: true, force: true });
  };
  try {
    const [url, operationsUrl] = await Promise.all([service.gateway, service.operations]);
    await untilCommitted(data, lastBlockNum);
    return { url, operationsUrl, data, pid: service.child.pid ?? 0, lastBlockNum, stop: stopAll };
  } catch (error) {
    await stopAll();
    throw error;
  }
}
