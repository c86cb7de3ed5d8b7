import { createServer, request, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What befalls a request. */
export type Fault =
  | 'none'
  /** The connection ends before the server saw the request, or before its answer came back. */
  | 'cut before'
  | 'cut after'
  /** Nothing comes back, ever. */
  | 'silence'
  /** The server answers at once that it is busy, or that it is too much. */
  | { status: number }
  /** The server does it, and says that it failed on one copy of a shard. */
  | 'copy failed'
  /** Of a bulk request the server takes some operations only; it has no room for the others. */
  | { takes: (place: number) => boolean };

export interface SeenRequest {
  method: string;
  path: string;
  body: string;
}

/** Stands before a real server and lets faults befall what is sent to it. */
export class FaultyServer {
  /** Asked for each request. */
  fault: (seen: SeenRequest) => Fault = () => 'none';
  readonly seen: SeenRequest[] = [];

  private constructor(
    private readonly target: URL,
    private readonly server: Server,
  ) {}

  static async start(targetUrl: string): Promise<FaultyServer> {
    const server = createServer();
    const faulty = new FaultyServer(new URL(targetUrl), server);
    server.on('request', (incoming: IncomingMessage, answer: ServerResponse) => void faulty.handle(incoming, answer));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return faulty;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async handle(incoming: IncomingMessage, answer: ServerResponse): Promise<void> {
    const { method = '', url: path = '' } = incoming;
    const seen = { method, path, body: (await readAll(incoming)).toString() };
    this.seen.push(seen);
    const fault = this.fault(seen);
    if (fault === 'silence') return;
    if (fault === 'cut before') return void incoming.socket.destroy();
    if (typeof fault === 'object' && 'status' in fault) {
      send(answer, fault.status, '{}');
      return;
    }
    if (typeof fault === 'object') {
      send(answer, 200, await this.forwardSome(incoming, seen, fault.takes));
      return;
    }
    const { status, body } = await this.forward(incoming, seen.body);
    if (fault === 'cut after') return void incoming.socket.destroy();
    send(answer, status, fault === 'copy failed' ? body.replace('"failed":0', '"failed":1') : body);
  }

  private async forwardSome(
    incoming: IncomingMessage,
    { body }: SeenRequest,
    takes: (place: number) => boolean,
  ): Promise<string> {
    const operations = operationsOf(body);
    const taken = operations.filter((_, place) => takes(place));
    const answered =
      taken.length > 0 ? (JSON.parse((await this.forward(incoming, taken.join(''))).body) as BulkAnswer).items : [];
    const items = operations.map((_, place) =>
      takes(place) ? answered.shift() : { index: { status: 429, error: { type: 'es_rejected_execution_exception' } } },
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

interface BulkAnswer {
  items: unknown[];
}

/** The operations of a bulk request, each with its document. */
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

function send(answer: ServerResponse, status: number, body: string): void {
  answer.writeHead(status, { 'content-type': 'application/json', 'x-elastic-product': 'Elasticsearch' });
  answer.end(body);
}
