import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { z } from 'zod';
import type { KeyValue } from '@antelope-history/key-value';
import { healthStatus } from '@antelope-history/schemas';
import { readMetric, type Registry } from '../metrics';

/** What a process tells the others of itself, every few seconds. */
const heartbeat = z.object({
  /** What it is: `reader`, `history-api`. */
  kind: z.string(),
  host: z.string(),
  pid: z.int(),
  /** When it started, ISO 8601. */
  since: z.string(),
  status: healthStatus,
  /** The source's head as it knows it: of a worker. */
  headBlock: z.int().optional(),
  work: z.object({ unit: z.enum(['blocks', 'requests']), perSecond: z.number() }),
});
export type Heartbeat = z.output<typeof heartbeat>;

export interface HeartbeatsOptions {
  kind: string;
  keyValue: KeyValue;
  registry: Registry;
  /** The metric that counts what it does, and what that is. */
  work: { metric: string; unit: Heartbeat['work']['unit'] };
  readState: () => Promise<Pick<Heartbeat, 'status' | 'headBlock'>>;
  everyMs?: number;
}

export const HEARTBEAT_EVERY_MS = 3_000;
/** Who was silent so long is gone. */
export const HEARTBEAT_TTL_MS = 10_000;
const GROUP = 'heartbeats';

export interface Heartbeats {
  /** Tells at once of what has changed. */
  beat(): void;
  /** Takes the process off the list. */
  stop(): Promise<void>;
}

/** Tells of this process again and again. While the key-value store is away nobody hears it, and nothing else happens. */
export function startHeartbeats(options: HeartbeatsOptions): Heartbeats {
  const { kind, keyValue, everyMs = HEARTBEAT_EVERY_MS } = options;
  const id = `${kind}-${randomUUID()}`;
  const since = new Date().toISOString();
  const readSpeed = createSpeedometer(options.registry, options.work.metric);
  let beating = Promise.resolve();
  let waiting = 0;

  async function tell(): Promise<void> {
    const { status, headBlock } = await options.readState();
    const work = { unit: options.work.unit, perSecond: await readSpeed() };
    const told: Heartbeat = { kind, host: hostname(), pid: process.pid, since, status, headBlock, work };
    await keyValue.setMember(GROUP, id, JSON.stringify(told), HEARTBEAT_TTL_MS);
  }

  function beat(): void {
    waiting++;
    beating = beating
      .then(tell)
      .catch(() => undefined)
      .finally(() => waiting--);
  }

  beat();
  // A beat that hangs is waited for.
  const timer = setInterval(() => waiting === 0 && beat(), everyMs);
  return {
    beat,
    async stop() {
      clearInterval(timer);
      await beating;
      await keyValue.deleteMember(GROUP, id).catch(() => undefined);
    },
  };
}

/** The processes that told of themselves lately, by their ids. Rejects as `KeyValue` does. */
export async function readHeartbeats(keyValue: KeyValue): Promise<Map<string, Heartbeat>> {
  const heartbeats = new Map<string, Heartbeat>();
  for (const [id, value] of await keyValue.listMembers(GROUP)) {
    const told = parseHeartbeat(value);
    if (told) heartbeats.set(id, told);
  }
  return heartbeats;
}

/** Undefined for what another version wrote. */
function parseHeartbeat(value: string): Heartbeat | undefined {
  try {
    return heartbeat.safeParse(JSON.parse(value)).data;
  } catch {
    return undefined;
  }
}

/** How much a metric grows per second, from one reading to the next. */
function createSpeedometer(registry: Registry, metric: string): () => Promise<number> {
  let last: { value: number; at: number } | undefined;
  return async () => {
    const now = { value: (await readMetric(registry, metric)) ?? 0, at: performance.now() };
    const speed = last && now.at > last.at ? (now.value - last.value) / ((now.at - last.at) / 1000) : 0;
    last = now;
    return Math.round(speed * 10) / 10;
  };
}
