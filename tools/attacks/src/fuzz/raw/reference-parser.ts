import { createServer, type IncomingMessage, type Server } from 'node:http';
import { Duplex } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';

export interface SeenRequest {
  method: string;
  /** Its path, without what does not change who answers: scheme, host, query, a trailing slash, percent signs. */
  path: string;
  body: string;
}

/** What Node's own HTTP parser takes for requests in some bytes. */
export interface ReferenceReading {
  /** Those that came whole. */
  whole: SeenRequest[];
  /** How many began. */
  begun: number;
}

/** Turns of the event loop until a body that has been parsed has also been delivered. */
const TURNS = 4;

/**
 * Reads bytes as HTTP with the parser that the gateway has too, but with nothing behind it: a server that takes every
 * request, asks for no host and answers none. So what any server of Node sees of the bytes is among it.
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
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('error', () => undefined);
    request.on('end', () => reading.whole.push(toSeenRequest(request, Buffer.concat(parts))));
  }
}

/** A connection on which some bytes come, and nothing goes. */
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
