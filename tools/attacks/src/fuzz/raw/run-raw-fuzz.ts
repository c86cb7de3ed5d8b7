import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises';
import { createRandom } from '@antelope-history/test-support/random';
import { openGatewayFixture } from './gateway-fixture';
import { performAttack } from './perform-attack';
import { bytesOf, generateRawAttack, type RawAttack } from './raw-attack';
import type { OpenFixture, RawFixture } from './raw-fixture';
import { type ReferenceReading, ReferenceParser } from './reference-parser';
import { readResponses } from './response-stream';

export interface RawFailure {
  /** The attack of the round, after earlier ones that may contribute to the failure. */
  attacks: RawAttack[];
  reason: string;
}

export interface RawFigures {
  rounds: number;
  /** Requests that the parser of Node.js found in the attackers' bytes. */
  requests: number;
  /** Number of responses to the attackers, by status. */
  statuses: Record<string, number>;
  honest: number;
  upstream: number;
  failures: RawFailure[];
}

export interface RawFuzzOptions {
  rounds: number;
  seed: number;
  /** Opens the attacked server; by default a gateway with upstreams. */
  openFixture?: OpenFixture;
  /** `pid`: process of the attacked server. */
  onProgress?: (rounds: number, pid: number) => void;
}

const MAX_FAILURES = 5;
/** A fault may appear a few rounds after the attack that caused it. */
const KEPT_ATTACKS = 3;
const PROGRESS_EVERY = 1_000;
/** Longer than the gateway may keep a request after its client disconnected. */
const SETTLE_LIMIT_MS = 5_000;
const REPLAY_SETTLE_MS = 500;
const ALLOWED_STATUS = /^(2..|304|4..|501|503)$/;

/** Runs one attack per round on a server while an honest client sends requests. The seed determines the attacks. */
export async function runRawFuzz(options: RawFuzzOptions): Promise<RawFigures> {
  const { rounds, seed, openFixture = openGatewayFixture, onProgress } = options;
  const fixture = await openFixture();
  const run = new RawRun(fixture);
  try {
    for (let round = 0; round < rounds && run.figures.failures.length < MAX_FAILURES; round++) {
      await run.attack(generateRawAttack(seed, round), round);
      if ((round + 1) % PROGRESS_EVERY === 0) onProgress?.(round + 1, fixture.pid);
    }
    await run.settle();
  } finally {
    await run.close();
  }
  return run.figures;
}

/** Performs attacks one after the other on a server of their own; resolves with the faults. */
export async function replayAttacks(
  attacks: RawAttack[],
  openFixture: OpenFixture = openGatewayFixture,
): Promise<string[]> {
  const run = new RawRun(await openFixture());
  try {
    for (const [round, attack] of attacks.entries()) await run.attack(attack, round);
    await run.settle(REPLAY_SETTLE_MS);
  } finally {
    await run.close();
  }
  return run.figures.failures.map(({ reason }) => reason);
}

class RawRun {
  readonly figures: RawFigures = { rounds: 0, requests: 0, statuses: {}, honest: 0, upstream: 0, failures: [] };
  private readonly parser = new ReferenceParser();
  private readonly recent: RawAttack[] = [];

  constructor(private readonly fixture: RawFixture) {}

  async attack(attack: RawAttack, round: number): Promise<void> {
    this.recent.push(attack);
    if (this.recent.length > KEPT_ATTACKS) this.recent.shift();
    const reference = await this.parser.read(bytesOf(attack));
    for (const request of reference.whole) this.fixture.allow(request);
    const honest = this.sendHonest(round);
    const received = await performAttack(attack, reference.begun, this.fixture.port);
    const reasons = (await Promise.all(honest)).filter((reason) => reason !== undefined);
    if (received === undefined) reasons.push('the connection is never closed');
    else if (attack.end === 'finish') reasons.push(...this.judge(received, attack, reference));
    this.figures.rounds++;
    this.figures.requests += reference.begun;
    this.report([...reasons, ...this.fixture.takeFaults()]);
  }

  /** After the last round: no request is in flight, and honest requests get the same responses as before. */
  async settle(limitMs = SETTLE_LIMIT_MS): Promise<void> {
    for (let waited = 0; waited < limitMs && (await this.fixture.inFlight()) > 0; waited += 50) await sleep(50);
    const inFlight = await this.fixture.inFlight();
    const reasons = inFlight === 0 ? [] : [`${inFlight} requests are in flight when all connections are closed`];
    for (const request of this.fixture.honest.requests) {
      reasons.push(...[(await this.fixture.honest.check(request)) ?? []].flat());
    }
    this.figures.upstream = this.fixture.upstreamRequests;
    this.report([...reasons, ...this.fixture.takeFaults()]);
  }

  close(): Promise<void> {
    return this.fixture.close();
  }

  private sendHonest(round: number): Promise<string | undefined>[] {
    const random = createRandom(round);
    const { requests } = this.fixture.honest;
    return Array.from({ length: 1 + random(3) }, async () => {
      const request = requests[random(requests.length)]!;
      const turns = random(6);
      for (let waited = 0; waited < turns; waited++) await turn();
      this.figures.honest++;
      return this.fixture.honest.check(request);
    });
  }

  private judge(received: Buffer, attack: RawAttack, reference: ReferenceReading): string[] {
    const { statuses, fault } = readResponses(
      received,
      attack.pieces.some((piece) => piece.includes('HEAD')),
    );
    for (const status of statuses) this.figures.statuses[status] = (this.figures.statuses[status] ?? 0) + 1;
    const reasons = statuses.filter((status) => !ALLOWED_STATUS.test(String(status))).map((each) => `status ${each}`);
    if (fault !== undefined) reasons.push(fault);
    // One more response may report that the rest is not HTTP.
    if (statuses.length > reference.begun + 1)
      reasons.push(`${statuses.length} responses to ${reference.begun} requests`);
    return reasons;
  }

  private report(reasons: string[]): void {
    if (reasons.length > 0) this.figures.failures.push({ attacks: [...this.recent], reason: reasons.join('; ') });
  }
}
