import { Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { sampleFolder, type SampleName } from '@antelope-history/test-support/recordings';
import { type AdapterSet, startIndexedChain } from '@antelope-history/processes';

export interface HttpResponse {
  status: number;
  body: string;
}

/** A running service that has indexed a whole recording. */
export interface ServedRecording {
  name: SampleName;
  /** Sends a body (an object as JSON, a string unchanged) to a path of the gateway. */
  post(path: string, body: object | string): Promise<HttpResponse>;
  /**
   * Sends equivalent requests and returns their response; throws when the responses differ. Where the share of forms is
   * not 1, most calls send one of the requests, each form in turn.
   */
  postAlike(path: string, bodies: readonly object[]): Promise<HttpResponse>;
  /** Those of the compared items for which requests are sent. */
  some<T>(items: readonly T[]): T[];
  /** Those of the derived queries that are sent. */
  someQueries<T>(queries: readonly T[]): T[];
  /** The number of forks that the service counted. */
  countForks(): Promise<number>;
  stop(): Promise<void>;
}

/** The share of the requests that are sent; 1 sends all. Prime numbers meet every form of a list that repeats its forms. */
export interface Share {
  /** Of the blocks, transactions, accounts and keys each n-th. */
  items: number;
  /** Of the derived queries about an account each n-th. */
  queries: number;
  /** Each n-th item is requested in every form of its number or id, the others in one form. */
  forms: number;
}

export const ALL_REQUESTS: Share = { items: 1, queries: 1, forms: 1 };

/**
 * The recorded blocks become older than the default window of the asc window guard, which is not compared: the largest
 * window allows every ascending query.
 */
const ENVIRONMENT = { HISTORY_API__MAX_ASC_WINDOW_DAYS: '36500' };

/** Replays a recording to the real service on a set of adapters, and waits until all of it is committed. */
export async function serveRecording(name: SampleName, set: AdapterSet, share: Share): Promise<ServedRecording> {
  const { url, metric, stop } = await startIndexedChain(set, sampleFolder(name), { environment: ENVIRONMENT });
  const each = <T>(items: readonly T[], stride: number): T[] => items.filter((_, index) => index % stride === 0);
  return {
    ...createClient(url, share.forms),
    name,
    some: (items) => each(items, share.items),
    someQueries: (queries) => each(queries, share.queries),
    countForks: () => metric('history_forks_total'),
    stop,
  };
}

function createClient(gateway: string, formStride: number): Pick<ServedRecording, 'post' | 'postAlike'> {
  const post = (path: string, body: object | string): Promise<HttpResponse> =>
    send(gateway + path, typeof body === 'string' ? body : JSON.stringify(body));
  let calls = 0;
  return {
    post,
    async postAlike(path, bodies) {
      const call = calls++;
      if (call % formStride !== 0) return post(path, bodies[call % bodies.length] ?? {});
      const [first, ...others] = await Promise.all(bodies.map((body) => post(path, body)));
      if (!first) throw new Error('postAlike needs at least one request');
      const other = others.findIndex(({ status, body }) => status !== first.status || body !== first.body);
      if (other < 0) return first;
      throw new Error(
        `${path} responds to ${JSON.stringify(bodies[0])} and ${JSON.stringify(bodies[other + 1])} differently`,
      );
    },
  };
}

/** Compression would take longer than the requests themselves. */
const NOT_PACKED = { 'accept-encoding': 'identity' };
/** Not `fetch`, which takes more processor time than the service for most of these requests. */
const AGENT = new Agent({ keepAlive: true });

/** A kept connection may have been closed while this process computed: then a new one is used (`reusedSocket` of Node.js). */
function send(url: string, body: string, agent: Agent | false = AGENT): Promise<HttpResponse> {
  return new Promise((resolve, reject) => {
    const headers = { ...NOT_PACKED, 'content-length': Buffer.byteLength(body) };
    const sent = request(url, { method: 'POST', agent, headers }, (response) => {
      text(response).then((received) => resolve({ status: response.statusCode ?? 0, body: received }), reject);
    });
    sent.on('error', (error: NodeJS.ErrnoException) => {
      if (sent.reusedSocket && error.code === 'ECONNRESET') resolve(send(url, body, false));
      else reject(error);
    });
    sent.end(body);
  });
}
