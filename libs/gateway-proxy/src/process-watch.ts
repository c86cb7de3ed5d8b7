import type { KeyValue } from '@antelope-history/key-value';
import type { HealthResponse, HealthStatus } from '@antelope-history/schemas';
import { type Heartbeat, HEARTBEAT_TTL_MS, readHeartbeats } from '@antelope-history/service';

type Component = HealthResponse['components'][string];

/** They need one another: where one of them runs, so should the others. */
const STAGES = ['reader', 'deserializer', 'indexer'];
/** A kind may be silent so long before it is missing: it may be starting anew, or the key-value store forgot it. */
const GRACE_MS = HEARTBEAT_TTL_MS;

/** What the processes tell of themselves and of the chain. */
export interface ProcessNews {
  /** By kind, in the words of /health. */
  components: Map<string, Component>;
  /** The highest head of the source that one of them knows. */
  headBlock: number | undefined;
}

const NO_NEWS: ProcessNews = { components: new Map(), headBlock: undefined };

/**
 * What the processes of the service tell of themselves. A kind is missing when it was there once, or when only others of
 * the three stages are there; where nobody ever told anything, nothing is missing.
 */
export class ProcessWatch {
  /** When each expected kind was last there, or could not be asked for. */
  private readonly lastSeen = new Map<string, number>();

  constructor(
    private readonly keyValue: KeyValue,
    private readonly now: () => number,
  ) {}

  /** No news while the key-value store is away, and nobody is missing then. */
  async read(): Promise<ProcessNews> {
    const heartbeats = await readHeartbeats(this.keyValue).catch(() => undefined);
    if (!heartbeats) {
      for (const kind of this.lastSeen.keys()) this.lastSeen.set(kind, this.now());
      return NO_NEWS;
    }
    const byKind = groupByKind(heartbeats.values());
    this.expect([...byKind.keys()]);
    const kinds = [...this.lastSeen.keys()].sort(byOrder);
    const heads = [...heartbeats.values()].flatMap(({ headBlock }) => headBlock ?? []);
    return {
      components: new Map(kinds.map((kind) => [nameOf(kind), this.describe(kind, byKind.get(kind) ?? [])])),
      headBlock: heads.length > 0 ? Math.max(...heads) : undefined,
    };
  }

  private expect(present: string[]): void {
    for (const kind of present) this.lastSeen.set(kind, this.now());
    if (!present.some((kind) => STAGES.includes(kind))) return;
    for (const kind of STAGES) if (!this.lastSeen.has(kind)) this.lastSeen.set(kind, this.now());
  }

  private describe(kind: string, heartbeats: Heartbeat[]): Component {
    const isMissing = heartbeats.length === 0 && this.now() - (this.lastSeen.get(kind) ?? 0) >= GRACE_MS;
    return {
      status: isMissing ? 'down' : statusOf(heartbeats),
      count: heartbeats.length,
      ...speedOf(heartbeats),
    };
  }
}

/** They share the work: it goes on while one of them can do it. */
function statusOf(heartbeats: Heartbeat[]): HealthStatus {
  const isAway = ({ status }: Heartbeat): boolean => status === 'down';
  if (heartbeats.length > 0 && heartbeats.every(isAway)) return 'down';
  return heartbeats.some(({ status }) => status === 'down' || status === 'degraded') ? 'degraded' : 'ok';
}

function speedOf(heartbeats: Heartbeat[]): Pick<Component, 'blocks_per_second' | 'requests_per_second'> {
  const unit = heartbeats[0]?.work.unit;
  if (unit === undefined) return {};
  const speed = heartbeats.reduce((sum, { work }) => sum + work.perSecond, 0);
  return { [`${unit}_per_second`]: Math.round(speed * 10) / 10 };
}

function groupByKind(heartbeats: Iterable<Heartbeat>): Map<string, Heartbeat[]> {
  const byKind = new Map<string, Heartbeat[]>();
  for (const heartbeat of heartbeats) {
    byKind.set(heartbeat.kind, [...(byKind.get(heartbeat.kind) ?? []), heartbeat]);
  }
  return byKind;
}

/** As a block passes them, then the others. */
function byOrder(left: string, right: string): number {
  const place = (kind: string): number => (STAGES.includes(kind) ? STAGES.indexOf(kind) : STAGES.length);
  return place(left) - place(right) || (left < right ? -1 : 1);
}

/** `history-api` is `history_api` in /health. */
function nameOf(kind: string): string {
  return kind.replaceAll('-', '_');
}
