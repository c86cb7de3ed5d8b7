import { Agent, type IncomingMessage, request } from 'node:http';
import { once } from 'node:events';
import { decodedBody } from '../../decoded-body';
import type { HonestRequest } from '../../honest-requests';
import type { SeenRequest } from './reference-parser';

const CONNECTIONS = 2;
/** Headers that differ between responses to the same request. */
const VOLATILE = /^(date|x-request-id|retry-after|(x-)?ratelimit.*)$/i;
/** The loopback interface has many addresses on Linux only; the attacker uses the first. */
const ADDRESS = process.platform === 'linux' ? { localAddress: '127.0.0.2' } : {};
/** A response that is not whole after this time is missing. */
const LIMIT_MS = 15_000;

/** Sends honest requests over persistent connections, and knows the response to each without other clients. */
export class HonestClient {
  private readonly agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS, ...ADDRESS });
  private readonly expected = new Map<HonestRequest, string>();

  constructor(
    private readonly url: string,
    readonly requests: readonly HonestRequest[],
    private readonly beforeSending: (request: SeenRequest) => void,
  ) {}

  /** Rejects when a request has no whole response. */
  async recordAlone(): Promise<void> {
    for (const each of this.requests) {
      const response = await this.send(each).catch((cause: unknown) => {
        throw new Error(`no response to ${JSON.stringify(each).slice(0, 200)} without other clients`, { cause });
      });
      this.expected.set(each, response);
    }
  }

  /** The difference to the recorded response; undefined when there is none. */
  async check(honest: HonestRequest): Promise<string | undefined> {
    const expected = this.expected.get(honest);
    const received = await this.send(honest).catch((error: unknown) => `no response: ${String(error)}`);
    if (received === expected) return undefined;
    const { path, body, acceptEncoding } = honest;
    return `an honest ${path} ${body.slice(0, 200)} in ${acceptEncoding} got ${received.slice(0, 600)}, not ${expected?.slice(0, 600)}`;
  }

  close(): void {
    this.agent.destroy();
  }

  private async send(honest: HonestRequest): Promise<string> {
    const method = 'POST';
    const { path, body, acceptEncoding } = honest;
    this.beforeSending({ method, path, body });
    const headers = {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      ...(acceptEncoding === undefined ? {} : { 'accept-encoding': acceptEncoding }),
    };
    // The wait for one of two connections counts: a response that never ends holds a connection.
    const signal = AbortSignal.timeout(LIMIT_MS);
    const sent = request(`${this.url}${path}`, { method, agent: this.agent, headers, signal }).end(body);
    const [response] = (await once(sent, 'response', { signal })) as [IncomingMessage];
    const { statusCode, rawHeaders } = response;
    const fields = rawHeaders.flatMap((name, at) => (at % 2 === 0 ? [[name.toLowerCase(), rawHeaders[at + 1]]] : []));
    const kept = fields.filter(([name = '']) => !VOLATILE.test(name)).map((field) => field.join(': '));
    return [statusCode, ...kept.sort(), await decodedBody(response)].join('\n');
  }
}
