import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openSample, sampleFolder, type SampleName } from '@antelope-history/recordings';
import { startReplay, startService, stop, untilCommitted } from '@antelope-history/service-process';

export interface HttpAnswer {
  status: number;
  body: string;
}

/** A service that has indexed a whole recording, as a client sees it. */
export interface ServedRecording {
  name: SampleName;
  /** Sends a body (an object as JSON, a text as it is) to a path of the gateway. */
  post(path: string, body: object | string): Promise<HttpAnswer>;
  get(path: string): Promise<HttpAnswer>;
  stop(): Promise<void>;
}

/**
 * The recorded blocks grow old while the guard's window does not, and the guard is not what is compared: the widest
 * window lets every ascending query through.
 */
const ENVIRONMENT = { HISTORY_API__MAX_ASC_WINDOW_DAYS: '36500' };

/** Replays a recording to the real service, each in a process of its own, and waits until all of it is committed. */
export async function serveRecording(name: SampleName): Promise<ServedRecording> {
  const lastBlock = openSample(name).messages.at(-1)?.thisBlock?.num ?? 0;
  const data = mkdtempSync(path.join(tmpdir(), 'antelope-history-conformance-'));
  const replay = await startReplay(sampleFolder(name));
  const service = startService(replay.url, data, ENVIRONMENT);
  const stopAll = async (): Promise<void> => {
    await stop(service.child);
    await stop(replay.child);
    rmSync(data, { recursive: true, force: true });
  };
  try {
    const gateway = await service.gateway;
    await untilCommitted(data, lastBlock);
    return {
      name,
      post: (path, body) =>
        request('POST', `${gateway}${path}`, typeof body === 'string' ? body : JSON.stringify(body)),
      get: (path) => request('GET', `${gateway}${path}`),
      stop: stopAll,
    };
  } catch (error) {
    await stopAll();
    throw error;
  }
}

async function request(method: string, url: string, body?: string): Promise<HttpAnswer> {
  const response = await fetch(url, { method, ...(body !== undefined && { body }) });
  return { status: response.status, body: await response.text() };
}
