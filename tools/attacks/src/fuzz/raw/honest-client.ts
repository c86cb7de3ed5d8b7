import { Agent, type IncomingMessage, request } from 'node:http';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { ROUTES } from '@antelope-history/schemas';
import type { SeenRequest } from './reference-parser';

const PER_ROUTE = 3;
const CONNECTIONS = 2;
/** They differ from response to response of one request. */
const VOLATILE = /^(date|x-request-id|retry-after|(x-)?ratelimit.*)$/i;
/** The loopback network has many addresses on Linux only; the attacker has the first. */
const ADDRESS = process.platform === 'linux' ? { localAddress: '127.0.0.2' } : {};

/** Requests of a client that does nothing wrong; each has its own response. */
export const HONEST_REQUESTS: SeenRequest[] = Object.values(ROUTES).flatMap(({ path }) =>
  Array.from({ length: PER_ROUTE }, (_, index) => ({
    method: 'POST',
    path,
    body: JSON.stringify({ honest: `${path} ${index}`, pad: 'p'.repeat(index * 700) }),
  })),
);

/** Sends honest requests over connections that stay open; knows what each is answered when nobody else is there. */
export class HonestClient {
  private readonly agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS, ...ADDRESS });
  private readonly expected = new Map<SeenRequest, string>();

  constructor(
    private readonly url: string,
    private readonly beforeSending: (request: SeenRequest) => void,
  ) {}

  async recordAlone(): Promise<void> {
    for (const each of HONEST_REQUESTS) this.expected.set(each, await this.send(each));
  }

  /** What is wrong with the response; undefined when it is the one that was recorded. */
  async check(honest: SeenRequest): Promise<string | undefined> {
    const expected = this.expected.get(honest);
    const received = await this.send(honest).catch((error: unknown) => `no response: ${String(error)}`);
    if (received === expected) return undefined;
    return `an honest ${honest.path} got ${received.slice(0, 600)}, not ${expected?.slice(0, 600)}`;
  }

  close(): void {
    this.agent.destroy();
  }

  private async send(honest: SeenRequest): Promise<string> {
    this.beforeSending(honest);
    const { method, path, body } = honest;
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    const sent = request(`${this.url}${path}`, { method, agent: this.agent, headers }).end(body);
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    const { statusCode, rawHeaders } = response;
    const fields = rawHeaders.flatMap((name, at) => (at % 2 === 0 ? [[name.toLowerCase(), rawHeaders[at + 1]]] : []));
    const kept = fields.filter(([name = '']) => !VOLATILE.test(name)).map((field) => field.join(': '));
    return [statusCode, ...kept.sort(), await text(response)].join('\n');
  }
}
