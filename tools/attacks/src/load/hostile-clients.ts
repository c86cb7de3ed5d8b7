import { LARGEST_REQUEST, type HonestRequest } from '../honest-requests';
import { formatRequest, isOver, type LoadContext, pause, RawConnection } from './load-context';

/** Behaves in one way until the run ends. */
export type Client = (context: LoadContext, requests: readonly HonestRequest[]) => Promise<void>;

const TRICKLE_MS = 500;
const HOLD_MS = 30_000;
const PIPELINED = 2_000;
const UNREAD = 20;
const KIB = 1024;
const BODY_BYTES = 1024 * KIB;
const HEADER_BYTES = 64 * KIB;

/** Sends a body of one byte every half a second. */
async function slow(context: LoadContext, requests: readonly HonestRequest[]): Promise<void> {
  while (!isOver(context)) {
    const connection = new RawConnection(context);
    const { path } = requests[context.random(requests.length)]!;
    context.figures.requests++;
    await connection.write(`POST ${path} HTTP/1.1\r\nhost: load\r\ncontent-length: 1000\r\n\r\n`);
    while (connection.isOpen && !isOver(context)) {
      await connection.write(' ');
      await pause(context, TRICKLE_MS);
    }
    await connection.leave(0);
    await pause(context, 1_000);
  }
}

/** Opens connections and sends nothing. */
async function silent(context: LoadContext): Promise<void> {
  while (!isOver(context)) {
    await new RawConnection(context).leave(2 * HOLD_MS);
    await pause(context, 1_000);
  }
}

/** Sends bodies, headers and chunks above all limits, in turns. */
async function huge(context: LoadContext, requests: readonly HonestRequest[]): Promise<void> {
  for (let turn = 0; !isOver(context); turn++) {
    const connection = new RawConnection(context);
    const { path } = requests[context.random(requests.length)]!;
    context.figures.requests++;
    await connection.write(hugeRequest(path, turn));
    await connection.leave(1_000);
    await pause(context, 500 + context.random(1_000));
  }
}

function hugeRequest(path: string, turn: number): string {
  if (turn % 3 === 0) return formatRequest(path, 'x'.repeat(BODY_BYTES));
  if (turn % 3 === 1) return formatRequest(path, '{}', `long: ${'y'.repeat(HEADER_BYTES)}\r\n`);
  const chunk = `${(16 * KIB).toString(16)}\r\n${'z'.repeat(16 * KIB)}\r\n`;
  return `POST ${path} HTTP/1.1\r\nhost: load\r\ntransfer-encoding: chunked\r\n\r\n${chunk.repeat(BODY_BYTES / 16 / KIB)}`;
}

/** Sends thousands of requests at once on one connection, and reads the responses. */
async function pipelining(context: LoadContext, requests: readonly HonestRequest[]): Promise<void> {
  while (!isOver(context)) {
    const connection = new RawConnection(context);
    const { path, body } = requests[context.random(requests.length)]!;
    context.figures.requests += PIPELINED;
    await connection.write(formatRequest(path, body).repeat(PIPELINED));
    for (let waited = 0; waited < HOLD_MS && connection.isOpen && !isOver(context); waited += 100) {
      if (connection.responses >= PIPELINED) break;
      await pause(context, 100);
    }
    await connection.leave(0);
    await pause(context, 1_000);
  }
}

/** Requests the largest responses and reads none of them. */
async function nonReading(context: LoadContext): Promise<void> {
  const { path, body } = LARGEST_REQUEST;
  while (!isOver(context)) {
    const connection = new RawConnection(context);
    connection.socket.pause();
    context.figures.requests += UNREAD;
    await connection.write(formatRequest(path, body).repeat(UNREAD));
    await connection.leave(HOLD_MS);
    await pause(context, 500);
  }
}

/** Connects, sends a request, and disconnects before, during or after the response. */
async function reconnecting(context: LoadContext, requests: readonly HonestRequest[]): Promise<void> {
  while (!isOver(context)) {
    const connection = new RawConnection(context);
    const { path, body } = requests[context.random(requests.length)]!;
    context.figures.requests++;
    const bytes = formatRequest(path, body);
    await connection.write(bytes.slice(0, context.random(3) === 0 ? context.random(bytes.length) : bytes.length));
    await connection.leave(context.random(40));
    await pause(context, 100 + context.random(200));
  }
}

export const HOSTILE_CLIENTS = { slow, silent, huge, pipelining, 'non-reading': nonReading, reconnecting } as const;
