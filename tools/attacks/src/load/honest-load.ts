import { Agent, type IncomingMessage, request as send } from 'node:http';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { decodedBody } from '../decoded-body';
import type { HonestRequest } from '../honest-requests';
import { isOver, type LoadContext, pause } from './load-context';

/** Average pause of a client between two requests. */
const THINK_MS = 2_000;
const MAX_RETRY_MS = 5_000;
/** A request that has waited longer than this at the end of the run counts as one without a response. */
const LATE_MS = 10_000;
const SHOWN = 10;

interface Received {
  status: number;
  body: string;
  retryAfterMs: number;
}

/** The expected responses of honest requests, and the mismatches. */
export class HonestResponses {
  mismatches = 0;
  /** Descriptions of the first mismatches. */
  readonly shown: string[] = [];
  private readonly expected = new Map<HonestRequest, Received>();

  /** Sends each request while no other client is connected. */
  async recordAlone(url: string, requests: readonly HonestRequest[]): Promise<void> {
    const agent = new Agent({ keepAlive: true });
    for (const request of requests) this.expected.set(request, await sendHonest(new URL(url), agent, request));
    agent.destroy();
  }

  check(request: HonestRequest, { status, body }: Received): void {
    const expected = this.expected.get(request);
    if (expected?.status === status && expected.body === body) return;
    this.mismatches++;
    if (this.shown.length === SHOWN) return;
    this.shown.push(
      `${request.path} ${request.body}: ${status} ${body.slice(0, 200)}, not ${expected?.status} ${expected?.body.slice(0, 200)}`,
    );
  }
}

/** Sends honest requests on a connection of its own, one after the other, and obeys `Retry-After`. */
export async function honest(
  context: LoadContext,
  requests: readonly HonestRequest[],
  responses: HonestResponses,
): Promise<void> {
  const { figures, localAddress, host, port } = context;
  const agent = new Agent({ keepAlive: true, maxSockets: 1, ...(localAddress === undefined ? {} : { localAddress }) });
  const url = new URL(`http://${host}:${port}`);
  const end = sleep(Math.max(0, context.endsAt - performance.now()), 'over' as const, { ref: false });
  figures.connections++;
  await pause(context, context.random(THINK_MS));
  while (!isOver(context)) {
    const request = requests[context.random(requests.length)]!;
    const startedAt = performance.now();
    figures.requests++;
    const note = (error: NodeJS.ErrnoException): undefined => {
      if (!isOver(context)) figures.addStatus(error.code ?? error.message);
    };
    const received = await Promise.race([sendHonest(url, agent, request).catch(note), end]);
    if (received === 'over' || isOver(context)) {
      if (performance.now() - startedAt > LATE_MS) figures.broken++;
      break;
    }
    if (received === undefined) figures.broken++;
    else {
      figures.addStatus(received.status);
      if (received.status === 503 || received.status === 429) figures.refused++;
      else {
        figures.addTime(performance.now() - startedAt);
        responses.check(request, received);
      }
    }
    await pause(context, Math.max(received?.retryAfterMs ?? 0, THINK_MS / 2 + context.random(THINK_MS)));
  }
  agent.destroy();
}

async function sendHonest(url: URL, agent: Agent, { path, body, acceptEncoding }: HonestRequest): Promise<Received> {
  const headers = {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    ...(acceptEncoding === undefined ? {} : { 'accept-encoding': acceptEncoding }),
  };
  const { hostname, port } = url;
  const sent = send({ hostname, port, path, method: 'POST', agent, headers, timeout: 60_000 });
  sent.on('timeout', () => sent.destroy(new Error('no response in a minute')));
  sent.end(body);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const retryAfter = Number(response.headers['retry-after'] ?? 0) * 1_000;
  const retryAfterMs = Math.min(MAX_RETRY_MS, Number.isFinite(retryAfter) ? retryAfter : 0);
  return { status: response.statusCode ?? 0, body: await decodedBody(response), retryAfterMs };
}
