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
  /** The one answer to several requests that mean the same; throws when the answers differ. */
  postAlike(path: string, bodies: readonly object[]): Promise<HttpAnswer>;
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
    return { ...createClient(gateway), name, stop: stopAll };
  } catch (error) {
    await stopAll();
    throw error;
  }
}

function createClient(gateway: string): Pick<ServedRecording, 'post' | 'postAlike' | 'get'> {
  const post = (path: string, body: object | string): Promise<HttpAnswer> =>
    request('POST', gateway + path, typeof body === 'string' ? body : JSON.stringify(body));
  return {
    post,
    async postAlike(path, bodies) {
      const [first, ...others] = await Promise.all(bodies.map((body) => post(path, body)));
      if (!first) throw new Error('nothing was asked');
      const other = others.findIndex(({ status, body }) => status !== first.status || body !== first.body);
      if (other < 0) return first;
      throw new Error(
        `${path} answers ${JSON.stringify(bodies[0])} and ${JSON.stringify(bodies[other + 1])} differently`,
      );
    },
    get: (path) => request('GET', gateway + path),
  };
}

/** Packing the answers would take both sides longer than answering. */
const NOT_PACKED = { 'accept-encoding': 'identity' };

async function request(method: string, url: string, body?: string): Promise<HttpAnswer> {
  const response = await fetch(url, { method, headers: NOT_PACKED, ...(body !== undefined && { body }) });
  return { status: response.status, body: await response.text() };
}
