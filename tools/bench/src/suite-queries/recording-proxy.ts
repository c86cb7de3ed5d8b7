import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { Client } from '@elastic/elasticsearch';

/** A request that went through the proxy. */
interface ForwardedRequest {
  method: string;
  /** With the query. */
  path: string;
  /** Those that name the format of the body and of the response. */
  headers: http.IncomingHttpHeaders;
  body: string;
  startedAt: number;
  endedAt: number;
}

/** Requests to Elasticsearch that are sent at the same time, after the responses of the round before. */
export type Round = readonly ForwardedRequest[];

/** Forwards requests to Elasticsearch and keeps them, so that they can be sent again without the app that sent them. */
export class RecordingProxy {
  private forwarded: ForwardedRequest[] = [];
  private readonly agent = new http.Agent({ keepAlive: true });
  private readonly server: http.Server;

  private constructor(private readonly target: URL) {
    this.server = http.createServer((request, response) => void this.forward(request, response));
  }

  static async start(target: string): Promise<RecordingProxy> {
    const proxy = new RecordingProxy(new URL(target));
    proxy.server.listen(0, '127.0.0.1');
    await once(proxy.server, 'listening');
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** The rounds of requests since the last call. */
  take(): Round[] {
    return roundsOf(this.forwarded.splice(0));
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    this.agent.destroy();
    await once(this.server, 'close');
  }

  private async forward(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const startedAt = performance.now();
    const { method = 'GET', url: path = '/', headers } = request;
    const body = await buffer(request);
    const { hostname, port } = this.target;
    const upstream = http.request({ hostname, port, method, path, headers, agent: this.agent });
    upstream.end(body);
    const [found] = (await once(upstream, 'response')) as [http.IncomingMessage];
    const bytes = await buffer(found);
    const endedAt = performance.now();
    this.forwarded.push({ method, path, headers: formatOf(headers), body: body.toString(), startedAt, endedAt });
    response.writeHead(found.statusCode ?? 500, found.headers).end(bytes);
  }
}

function formatOf({ accept, 'content-type': contentType }: http.IncomingHttpHeaders): http.IncomingHttpHeaders {
  return { ...(accept !== undefined && { accept }), ...(contentType !== undefined && { 'content-type': contentType }) };
}

/** A request that was sent before any of a round had ended belongs to the round. */
function roundsOf(requests: readonly ForwardedRequest[]): Round[] {
  const rounds: ForwardedRequest[][] = [];
  for (const request of [...requests].sort((left, right) => left.startedAt - right.startedAt)) {
    const round = rounds.at(-1);
    if (round && round.every(({ endedAt }) => request.startedAt < endedAt)) round.push(request);
    else rounds.push([request]);
  }
  return rounds;
}

/** Sends recorded requests again; resolves when all have their responses. */
export async function sendAgain(client: Client, rounds: readonly Round[]): Promise<void> {
  for (const round of rounds) {
    await Promise.all(
      round.map(({ method, path, headers, body }) =>
        client.transport.request({ method, path, ...(body !== '' && { body }) }, { headers }),
      ),
    );
  }
}
