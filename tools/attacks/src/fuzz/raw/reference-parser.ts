import { createServer, type IncomingMessage, type Server } from 'node:http';
import { Duplex } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';

export interface SeenRequest {
  method: string;
  /** Path without scheme, host, query, trailing slash and percent signs, none of which changes the upstream. */
  path: string;
  body: string;
}

/** The requests that the HTTP parser of Node.js reads from some bytes. */
export interface ReferenceReading {
  /** Complete requests. */
  whole: SeenRequest[];
  /** Number of requests that began. */
  begun: number;
}

/** Turns of the event loop between the parsing and the delivery of a body. */
const TURNS = 4;

/**
 * Reads bytes with the HTTP parser that the gateway uses, in a server that accepts every request, requires no host and never
 * responds. Any server of Node.js reads a subset of these requests.
 */
export class ReferenceParser {
  private reading: ReferenceReading = { whole: [], begun: 0 };
  private readonly server: Server;

  constructor() {
    const take = (request: IncomingMessage): void => this.take(request);
    this.server = createServer({ requireHostHeader: false }, take);
    this.server.on('checkContinue', take).on('checkExpectation', take);
    this.server.on('connect', (request: IncomingMessage) => this.take(request));
    this.server.on('clientError', () => undefined);
  }

  async read(bytes: Buffer): Promise<ReferenceReading> {
    const reading: ReferenceReading = { whole: [], begun: 0 };
    this.reading = reading;
    const connection = new ByteSource(bytes);
    this.server.emit('connection', connection);
    for (let turns = 0; turns < TURNS || connection.isUnread; turns++) await turn();
    connection.destroy();
    return reading;
  }

  private take(request: IncomingMessage): void {
    const { reading } = this;
    reading.begun++;
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('error', () => undefined);
    request.on('end', () => reading.whole.push(toSeenRequest(request, Buffer.concat(chunks))));
  }
}

/** A connection that receives some bytes and discards writes. */
class ByteSource extends Duplex {
  isUnread = true;

  constructor(private readonly bytes: Buffer) {
    super();
    this.on('end', () => (this.isUnread = false));
    this.on('close', () => (this.isUnread = false));
    this.on('error', () => undefined);
  }

  override _read(): void {
    this.push(this.bytes);
    this.push(null);
  }

  override _write(_chunk: unknown, _encoding: BufferEncoding, done: () => void): void {
    done();
  }

  setTimeout(): this {
    return this;
  }
}

export function toSeenRequest({ method = '', url = '' }: IncomingMessage, body: Buffer): SeenRequest {
  const path = unescaped(url.replace(/^[a-z]+:\/\/[^/?#]*/i, '').replace(/[?#].*$/s, ''));
  return { method, path: path.length > 1 ? path.replace(/\/$/, '') : path, body: body.toString('latin1') };
}

function unescaped(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

export function keyOf({ method, path, body }: SeenRequest): string {
  return `${method} ${path}\n${body}`;
}
