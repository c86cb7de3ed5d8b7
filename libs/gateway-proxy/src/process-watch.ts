import type { KeyValue } from '@antelope-history/key-value';
import type { HealthResponse, HealthStatus } from '@antelope-history/schemas';
import { type Heartbeat, HEARTBEAT_TTL_MS, readHeartbeats } from '@antelope-history/app-runtime';

type Component = HealthResponse['components'][string];

/** The three stages need each other: where one of them runs, the others should run, too. */
const STAGES = ['reader', 'deserializer', 'indexer'];
/** An app is reported missing after this time without a heartbeat: it may be restarting, or the key-value store was emptied. */
const GRACE_MS = HEARTBEAT_TTL_MS;

/** What the heartbeats of the processes say. */
export interface ProcessReports {
  /** By component name of /health. */
  components: Map<string, Component>;
  /** The highest head block that a heartbeat reports. */
  headBlock: number | undefined;
}

const NO_REPORTS: ProcessReports = { components: new Map(), headBlock: undefined };

/**
 * Reads the heartbeats of the service's processes. An app is missing when it had a heartbeat before, or when another of the
 * three stages has one. Without any heartbeat nothing is missing.
 */
export class ProcessWatch {
  /** The time of each expected app's last heartbeat, or of the last failed read. */
  private readonly lastSeen = new Map<string, number>();

  constructor(
    private readonly keyValue: KeyValue,
    private readonly now: () => number,
  ) {}

  /** Returns no reports while the key-value store is unavailable. That time does not count as a time without heartbeats. */
  async read(): Promise<ProcessReports> {
    const heartbeats = await readHeartbeats(this.keyValue).catch(() => undefined);
    if (!heartbeats) {
      for (const kind of this.lastSeen.keys()) this.lastSeen.set(kind, this.now());
      return NO_REPORTS;
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

/** Processes of one app share its work, so the app is down only when all of them are. */
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

/** The stages in the order of the pipeline, then the other apps by name. */
function byOrder(left: string, right: string): number {
  const rank = (kind: string): number => (STAGES.includes(kind) ? STAGES.indexOf(kind) : STAGES.length);
  return rank(left) - rank(right) || (left < right ? -1 : 1);
}

/** `history-api` is `history_api` in /health. */
function nameOf(kind: string): string {
  return kind.replaceAll('-', '_');
}
