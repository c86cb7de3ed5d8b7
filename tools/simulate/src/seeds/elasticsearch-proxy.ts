import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '@antelope-history/test-support/random';

/** How the server behind the proxy behaves. */
export type ElasticsearchMode =
  | 'as it is'
  /** Every request is rejected, as by a server whose queues are full. */
  | 'refusing'
  /** Writes are rejected, as with the block that the flood stage of the disk sets. */
  | 'read-only'
  | 'slow'
  /** Requests wait until the mode changes. */
  | 'hanging'
  /** Every request takes the time that it takes to a distant server. */
  | 'distant'
  /** Some documents of a bulk request are rejected, the others are written. */
  | 'failing items'
  /** Shards do not refresh. */
  | 'failing refreshes'
  /** Requests are executed, but their responses are lost. */
  | 'losing responses';

interface Exchange {
  method: string;
  path: string;
  headers: IncomingMessage['headers'];
  body: Buffer;
}

interface Reply {
  status: number;
  headers: IncomingMessage['headers'];
  body: Buffer;
}

const SLOW_MS = 1_500;
const DISTANT_MS = 400;
const HANG_POLL_MS = 50;
/** One of so many documents fails. */
const ITEM_FAILS_IN = 5;
const ITEM_ERROR = { status: 429, error: { type: 'es_rejected_execution_exception' } };

/** An HTTP proxy in front of Elasticsearch that makes it fail in the ways in which it fails by itself. */
export class ElasticsearchProxy {
  mode: ElasticsearchMode = 'as it is';
  private readonly server: Server;
  private readonly agent = new Agent({ keepAlive: true });

  constructor(
    private readonly target: URL,
    private readonly random: Random,
  ) {
    this.server = createServer((incoming, outgoing) => {
      this.serve(incoming, outgoing).catch(() => outgoing.destroy());
    });
  }

  async listen(): Promise<string> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.agent.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { method = 'GET', url = '/', headers } = incoming;
    const exchange: Exchange = { method, path: url, headers, body: await readAll(incoming) };
    const reply = await this.reply(exchange);
    if (!reply) {
      outgoing.destroy();
      return;
    }
    outgoing.writeHead(reply.status, { ...withoutLength(reply.headers), 'content-length': reply.body.length });
    outgoing.end(reply.body);
  }

  /** Undefined for a response that is lost. */
  private async reply(exchange: Exchange): Promise<Reply | undefined> {
    switch (this.mode) {
      case 'refusing':
        return failure(429, 'es_rejected_execution_exception');
      case 'read-only':
        return isWrite(exchange) ? failure(403, 'cluster_block_exception') : this.forward(exchange);
      case 'slow':
        await sleep(this.random(SLOW_MS));
        return this.forward(exchange);
      case 'hanging':
        while (this.isIn('hanging')) await sleep(HANG_POLL_MS);
        return this.forward(exchange);
      case 'distant':
        await sleep(DISTANT_MS);
        return this.forward(exchange);
      case 'failing items':
        return isBulk(exchange) ? this.forwardSome(exchange) : this.forward(exchange);
      case 'failing refreshes':
        return isRefresh(exchange) ? this.failRefresh() : this.forward(exchange);
      case 'losing responses':
        await this.forward(exchange);
        return this.random(2) ? undefined : failure(503, 'unavailable_shards_exception');
      default:
        return this.forward(exchange);
    }
  }

  /** A function, because the value changes during each await. */
  private isIn(mode: ElasticsearchMode): boolean {
    return this.mode === mode;
  }

  private failRefresh(): Reply {
    if (this.random(2)) return failure(503, 'unavailable_shards_exception');
    return json(200, { _shards: { total: 2, successful: 1, failed: 1, failures: [] } });
  }

  /** Leaves some operations of a bulk request out, and says in their places that the server has rejected them. */
  private async forwardSome(exchange: Exchange): Promise<Reply> {
    const operations = bulkOperations(exchange.body);
    const kept = operations.filter(() => this.random(ITEM_FAILS_IN) > 0);
    if (kept.length === 0 || kept.length === operations.length) return this.forward(exchange);
    const reply = await this.forward({
      ...exchange,
      body: Buffer.from(kept.map(({ text }) => text).join(''), 'latin1'),
    });
    if (reply.status !== 200) return reply;
    const { items = [] } = JSON.parse(reply.body.toString()) as { items?: object[] };
    const left = [...items];
    const all = operations.map((operation) =>
      kept.includes(operation)
        ? (left.shift() ?? { [operation.name]: { status: 200 } })
        : { [operation.name]: ITEM_ERROR },
    );
    return json(200, { errors: true, items: all });
  }

  private async forward({ method, path, headers, body }: Exchange): Promise<Reply> {
    const { hostname, port } = this.target;
    const sent = request({
      hostname,
      port,
      method,
      path,
      agent: this.agent,
      headers: { ...withoutLength(headers), host: this.target.host, 'content-length': body.length },
    });
    sent.end(body);
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    return { status: response.statusCode ?? 502, headers: response.headers, body: await readAll(response) };
  }
}

interface BulkOperation {
  name: string;
  text: string;
}

/** The operations of a bulk body: a line for each, and a line for its document unless it deletes. */
function bulkOperations(body: Buffer): BulkOperation[] {
  const lines = body.toString('latin1').split('\n');
  const operations: BulkOperation[] = [];
  for (let at = 0; at < lines.length - 1; at++) {
    const line = lines[at] ?? '';
    const [name = 'index'] = Object.keys(JSON.parse(line) as object);
    const document = name === 'delete' ? '' : `${lines[++at] ?? ''}\n`;
    operations.push({ name, text: `${line}\n${document}` });
  }
  return operations;
}

const isBulk = ({ path }: Exchange): boolean => path.includes('_bulk');
const isRefresh = ({ path }: Exchange): boolean => path.includes('_refresh');

function isWrite({ method, path }: Exchange): boolean {
  return isBulk({ path } as Exchange) || path.includes('_doc') || path.includes('_create') || method === 'PUT';
}

function failure(status: number, type: string): Reply {
  return json(status, { error: { type, reason: 'simulated', root_cause: [{ type, reason: 'simulated' }] }, status });
}

function json(status: number, value: unknown): Reply {
  const headers = {
    'content-type': 'application/vnd.elasticsearch+json;compatible-with=8',
    'x-elastic-product': 'Elasticsearch',
  };
  return { status, headers, body: Buffer.from(JSON.stringify(value)) };
}

function withoutLength(headers: IncomingMessage['headers']): IncomingMessage['headers'] {
  const { 'content-length': _, 'transfer-encoding': __, connection: ___, ...rest } = headers;
  return rest;
}

async function readAll(stream: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
