import { sampleFolder, type SampleName } from '@antelope-history/test-support/recordings';
import { type AdapterSet, startIndexedChain } from '@antelope-history/processes';

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
  /** How often the chain went back, by the service's own count. */
  countForks(): Promise<number>;
  stop(): Promise<void>;
}

/**
 * The recorded blocks grow old while the guard's window does not, and the guard is not what is compared: the widest
 * window lets every ascending query through.
 */
const ENVIRONMENT = { HISTORY_API__MAX_ASC_WINDOW_DAYS: '36500' };

/** Replays a recording to the real service on a set of adapters, and waits until all of it is committed. */
export async function serveRecording(name: SampleName, set: AdapterSet): Promise<ServedRecording> {
  const { url, metric, stop } = await startIndexedChain(set, sampleFolder(name), ENVIRONMENT);
  return { ...createClient(url), name, countForks: () => metric('history_forks_total'), stop };
}

function createClient(gateway: string): Pick<ServedRecording, 'post' | 'postAlike'> {
  const post = (path: string, body: object | string): Promise<HttpAnswer> =>
    send(gateway + path, typeof body === 'string' ? body : JSON.stringify(body));
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
  };
}

/** Packing the answers would take both sides longer than answering. */
const NOT_PACKED = { 'accept-encoding': 'identity' };

async function send(url: string, body: string): Promise<HttpAnswer> {
  const response = await fetch(url, { method: 'POST', headers: NOT_PACKED, body });
  return { status: response.status, body: await response.text() };
}
