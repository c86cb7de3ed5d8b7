import { createServer, request, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The fault of one request. */
export type Fault =
  | 'none'
  /** The connection ends before the server got the request, or before its response arrived. */
  | 'cut before'
  | 'cut after'
  /** The request arrives late, as that of a process that was suspended. */
  | { until: Promise<void> }
  /** The server executes the request at once, and its response arrives late. */
  | { respondsAfter: Promise<void> }
  /** No response ever arrives. */
  | 'silence'
  /** The server responds at once that it is busy, or that the request is too large; `executed`: after it has executed the request. */
  | { status: number; executed?: boolean }
  /** The server executes the request and reports a failure on one copy of a shard. */
  | 'copy failed'
  /** The server executes a bulk request, and the last operation is missing in its response. */
  | 'item missing'
  /** The server executes a request, and its response says nothing. */
  | 'empty response'
  /** The server executes some operations of a bulk request and rejects the others with status 429. */
  | { takes: (index: number) => boolean };

export interface SeenRequest {
  method: string;
  path: string;
  body: string;
}

/** A proxy of a real server that injects faults. */
export class FaultyServer {
  /** Called for each request. */
  fault: (seen: SeenRequest) => Fault = () => 'none';
  readonly seen: SeenRequest[] = [];

  private constructor(
    private readonly target: URL,
    private readonly server: Server,
  ) {}

  static async start(targetUrl: string): Promise<FaultyServer> {
    const server = createServer();
    const faulty = new FaultyServer(new URL(targetUrl), server);
    server.on(
      'request',
      (incoming: IncomingMessage, response: ServerResponse) => void faulty.handle(incoming, response),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return faulty;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Holds the first request that matches, and all that match after it, until `resume`. */
  suspend(matches: (seen: SeenRequest) => boolean): { arrived: Promise<void>; resume: () => void } {
    let resume = (): void => undefined;
    const until = new Promise<void>((resolve) => (resume = resolve));
    const arrived = new Promise<void>((resolve) => {
      this.fault = (seen) => {
        if (!matches(seen)) return 'none';
        resolve();
        return { until };
      };
    });
    return { arrived, resume };
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url: path = '' } = incoming;
    const seen = { method, path, body: (await readAll(incoming)).toString() };
    this.seen.push(seen);
    const fault = this.fault(seen);
    if (fault === 'silence') return;
    if (fault === 'cut before') return void incoming.socket.destroy();
    if (typeof fault === 'object' && 'until' in fault) {
      await fault.until;
      const { status, body } = await this.forward(incoming, seen.body);
      send(response, status, body);
      return;
    }
    if (typeof fault === 'object' && 'respondsAfter' in fault) {
      const { status, body } = await this.forward(incoming, seen.body);
      await fault.respondsAfter;
      send(response, status, body);
      return;
    }
    if (typeof fault === 'object' && 'status' in fault) {
      if (fault.executed) await this.forward(incoming, seen.body);
      send(response, fault.status, '{}');
      return;
    }
    if (typeof fault === 'object') {
      send(response, 200, await this.forwardSome(incoming, seen, fault.takes));
      return;
    }
    const { status, body } = await this.forward(incoming, seen.body);
    if (fault === 'cut after') return void incoming.socket.destroy();
    if (fault === 'empty response') {
      send(response, status, '{}');
      return;
    }
    if (fault === 'item missing') {
      const { items = [] } = JSON.parse(body) as BulkResponse;
      send(response, status, JSON.stringify({ errors: false, items: items.slice(0, -1) }));
      return;
    }
    send(response, status, fault === 'copy failed' ? body.replace('"failed":0', '"failed":1') : body);
  }

  private async forwardSome(
    incoming: IncomingMessage,
    { path, body }: SeenRequest,
    takes: (index: number) => boolean,
  ): Promise<string> {
    const operations = operationsOf(body);
    const taken = operations.filter((_, index) => takes(index));
    const answered =
      taken.length > 0 ? (JSON.parse((await this.forward(incoming, taken.join(''))).body) as BulkResponse).items : [];
    if (!path.includes('items') || !answered) return JSON.stringify({ errors: true });
    const items = operations.map((_, index) =>
      takes(index) ? answered.shift() : { index: { status: 429, error: { type: 'es_rejected_execution_exception' } } },
    );
    return JSON.stringify({ errors: true, items });
  }

  private forward(incoming: IncomingMessage, body: string): Promise<{ status: number; body: string }> {
    return new Promise((resolve, reject) => {
      const headers = { ...incoming.headers, host: this.target.host, 'content-length': Buffer.byteLength(body) };
      const { method, url: path } = incoming;
      const outgoing = request(this.target, { method, path, headers }, (response) => {
        readAll(response).then(
          (bytes) => resolve({ status: response.statusCode ?? 0, body: bytes.toString() }),
          reject,
        );
      });
      outgoing.on('error', reject);
      outgoing.end(body);
    });
  }
}

interface BulkResponse {
  /** If the request asks for them. */
  items?: unknown[];
}

/** The operations of a bulk request with their documents. */
export function operationsOf(body: string): string[] {
  const operations: string[] = [];
  const lines = body.split('\n').slice(0, -1);
  for (let index = 0; index < lines.length; index++) {
    const hasDocument = !lines[index]?.startsWith('{"delete"');
    operations.push(hasDocument ? `${lines[index]}\n${lines[++index]}\n` : `${lines[index]}\n`);
  }
  return operations;
}

async function readAll(stream: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of stream) parts.push(part as Buffer);
  return Buffer.concat(parts);
}

function send(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, { 'content-type': 'application/json', 'x-elastic-product': 'Elasticsearch' });
  response.end(body);
}
