import fc from 'fast-check';
import { BUFFERED_BYTES, type Ticket } from './ticket';
import { type LimitReason, LONGEST_WAIT_MS, WorkLimits } from './work-limits';

const MIB = 1024 * 1024;
const SETTINGS = {
  maxRequestsInFlight: 4,
  maxRequestsPerClient: 2,
  maxRequestsWaiting: 8,
  maxResponseBytesInFlight: 8 * MIB,
  maxResponseBytesPerClient: 3 * MIB,
};

interface Sent {
  client: string;
  outcome: 'waiting' | 'started' | 'refused' | 'aborted';
  ticket: Ticket;
  hasBegun?: boolean;
  /** Bytes of a response of known length that have not arrived. */
  unsent?: number;
  /** Response bytes in flight when it started: of its client, and in total. */
  bytesAtStart?: { ofClient: number; total: number };
}

/** Limits with their own clock, and the outcomes of the requests. */
class Bench {
  now = 0;
  readonly limited: LimitReason[] = [];
  readonly sent: Sent[] = [];
  readonly limits = new WorkLimits(
    SETTINGS,
    (reason) => this.limited.push(reason),
    () => this.now,
  );

  request(client: string): Sent {
    const sent = { client, outcome: 'waiting' } as Sent;
    this.sent.push(sent);
    sent.ticket = this.limits.request(client, {
      start: () => {
        sent.outcome = 'started';
        const { responseBytes } = this.limits;
        sent.bytesAtStart = { ofClient: responseBytes.of(client), total: responseBytes.total };
      },
      refuse: () => (sent.outcome = 'refused'),
      abort: () => (sent.outcome = 'aborted'),
    });
    return sent;
  }

  outcomes(): string[] {
    return this.sent.map(({ outcome }) => outcome);
  }
}

describe('WorkLimits', () => {
  let bench: Bench;
  beforeEach(() => (bench = new Bench()));
  afterEach(() => jest.useRealTimers());

  it('starts requests up to the bounds per client and in total', () => {
    for (const client of ['a', 'a', 'a', 'b', 'b', 'c']) bench.request(client);
    expect(bench.outcomes()).toEqual(['started', 'started', 'waiting', 'started', 'started', 'waiting']);
    bench.sent[3]?.ticket.end();
    expect(bench.outcomes()[5]).toBe('started');
    bench.sent[0]?.ticket.endWork();
    expect(bench.outcomes()[2]).toBe('started');
  });

  it('serves clients in turn, however many requests one of them sends', () => {
    const flood = Array.from({ length: 4 }, () => bench.request('flood'));
    for (const client of ['x', 'y', 'z']) bench.request(client);
    bench.request('z');
    expect(bench.outcomes().slice(4)).toEqual(['started', 'started', 'waiting', 'waiting']);
    flood[0]?.ticket.end();
    flood[1]?.ticket.end();
    expect(bench.outcomes()).toEqual([
      ...['started', 'started', 'started', 'waiting'],
      ...['started', 'started', 'started', 'waiting'],
    ]);
  });

  it('refuses a request at once when the queue, or the share of the client, is full', () => {
    for (let count = 0; count < 5; count++) bench.request('a');
    expect(bench.outcomes()).toEqual(['started', 'started', 'waiting', 'waiting', 'refused']);
    for (const client of ['b', 'b', 'c', 'c', 'd', 'd', 'e', 'e', 'f']) bench.request(client);
    expect(bench.outcomes().at(-1)).toBe('refused');
    expect(bench.limited).toEqual(['queue', 'queue']);
  });

  it('refuses a request that waited too long', () => {
    jest.useFakeTimers();
    for (let count = 0; count < 3; count++) bench.request('a');
    jest.advanceTimersByTime(LONGEST_WAIT_MS);
    expect(bench.outcomes()).toEqual(['started', 'started', 'refused']);
    expect(bench.limits.waitingCount).toBe(0);
  });

  it('removes a disconnected client from the queue', () => {
    const [, , third] = Array.from({ length: 4 }, () => bench.request('a'));
    third?.ticket.end();
    bench.sent[0]?.ticket.end();
    expect(bench.outcomes()).toEqual(['started', 'started', 'waiting', 'started']);
    expect(bench.limits.waitingCount).toBe(0);
  });

  it('queues the requests of a client that does not read its responses', () => {
    const large = bench.request('a');
    large.ticket.beginResponse(4 * MIB);
    // A response of known length keeps no upstream busy.
    expect(bench.limits.working.total).toBe(0);
    const next = bench.request('a');
    expect([next.outcome, bench.request('b').outcome]).toEqual(['waiting', 'started']);
    for (let received = 0; received < 2 * MIB; received += 64 * 1024) large.ticket.receive(64 * 1024);
    expect(next.outcome).toBe('started');
  });

  it('starts the queued request of a client whose response ends unread', () => {
    const large = bench.request('a');
    large.ticket.beginResponse(4 * MIB);
    const next = bench.request('a');
    expect(next.outcome).toBe('waiting');
    large.ticket.end();
    expect(next.outcome).toBe('started');
  });

  it('charges a response of unknown length for its buffered bytes', () => {
    const { ticket } = bench.request('a');
    ticket.beginResponse(undefined);
    for (let chunk = 0; chunk < 100; chunk++) ticket.receive(50_000);
    expect(bench.limits.responseBytes.total).toBe(BUFFERED_BYTES + 50_000);
    expect(bench.limits.working.total).toBe(1);
    ticket.end();
    expect([bench.limits.responseBytes.total, bench.limits.working.total]).toEqual([0, 0]);
  });

  it('charges a response of known length for what has not been received, and for the last chunk', () => {
    const { ticket } = bench.request('a');
    ticket.beginResponse(MIB);
    const held: number[] = [];
    for (const bytes of [400_000, 500_000, MIB - 900_000]) {
      ticket.receive(bytes);
      held.push(bench.limits.responseBytes.total - BUFFERED_BYTES);
    }
    expect(held).toEqual([MIB, MIB - 400_000, MIB - 900_000]);
  });

  it('aborts the response that has stalled longest when there are too many bytes', () => {
    jest.useFakeTimers();
    const [first, second, third] = ['a', 'b', 'c'].map((client) => {
      const sent = bench.request(client);
      sent.ticket.beginResponse(2 * MIB);
      bench.now += 10;
      return sent;
    });
    bench.now += 5_000;
    first?.ticket.receive(1);
    bench.request('d').ticket.beginResponse(2.5 * MIB);
    expect(bench.outcomes()).toEqual(['started', 'aborted', 'started', 'started']);
    expect([second?.outcome, third?.outcome]).toEqual(['aborted', 'started']);
    expect(bench.limited).toEqual(['stalled']);
    // No response is stalled long enough yet.
    third?.ticket.receive(1);
    bench.request('e').ticket.beginResponse(3 * MIB);
    expect(bench.request('f').outcome).toBe('waiting');
    bench.now += 2_500;
    jest.advanceTimersByTime(1_000);
    expect(bench.outcomes()).toEqual(['aborted', 'aborted', 'started', 'started', 'started', 'started']);
  });

  it('checks for stalled responses until there are few enough bytes', () => {
    jest.useFakeTimers();
    for (const client of ['a', 'b', 'c']) bench.request(client).ticket.beginResponse(3 * MIB);
    for (const outcome of ['started', 'started', 'aborted']) {
      bench.now += 900;
      jest.advanceTimersByTime(1_000);
      expect(bench.outcomes()).toEqual([outcome, 'started', 'started']);
    }
    expect(bench.limited).toEqual(['stalled']);
  });

  it('keeps its bounds for any order of events, and ends empty', () => {
    const event = fc.oneof(
      fc.record({ kind: fc.constant('request' as const), client: fc.constantFrom('a', 'b', 'c', 'd', 'e') }),
      fc.record({
        kind: fc.constantFrom('begin', 'beginUnknown', 'receive', 'endWork', 'end', 'pass'),
        which: fc.nat(1000),
        amount: fc.nat(3 * MIB),
      }),
    );
    fc.assert(
      fc.property(fc.array(event, { maxLength: 200, size: 'max' }), (events) => {
        const run = new Bench();
        for (const step of events) {
          if (step.kind === 'request') run.request(step.client);
          else apply(run, step);
          expectBounds(run);
        }
        for (const { ticket } of run.sent) ticket.end();
        const { working, responseBytes, waitingCount } = run.limits;
        expect([working.total, responseBytes.total, waitingCount]).toEqual([0, 0, 0]);
      }),
      { numRuns: 30 },
    );
  });
});

function apply(run: Bench, step: { kind: string; which: number; amount: number }): void {
  const sent = run.sent[step.which % Math.max(1, run.sent.length)];
  if (step.kind === 'pass') run.now += step.amount / 1000;
  else if (!sent) return;
  else if (step.kind === 'begin') begin(sent, step.amount);
  else if (step.kind === 'beginUnknown') begin(sent, undefined);
  else if (step.kind === 'receive') receive(sent, Math.min(step.amount, 64 * 1024));
  else if (step.kind === 'endWork') sent.ticket.endWork();
  else sent.ticket.end();
}

/** A response begins once, after its request was sent. */
function begin(sent: Sent, length: number | undefined): void {
  if (sent.hasBegun || sent.outcome !== 'started') return;
  sent.hasBegun = true;
  if (length !== undefined) sent.unsent = length;
  sent.ticket.beginResponse(length);
}

/** The HTTP parser ends a body at its content length, so no more bytes than that are received. */
function receive(sent: Sent, bytes: number): void {
  const received = Math.min(bytes, sent.unsent ?? bytes);
  if (sent.unsent !== undefined) sent.unsent -= received;
  sent.ticket.receive(received);
}

function expectBounds({ limits, sent }: Bench): void {
  expect(limits.working.total).toBeLessThanOrEqual(SETTINGS.maxRequestsInFlight);
  expect(limits.waitingCount).toBeLessThanOrEqual(SETTINGS.maxRequestsWaiting);
  expect(limits.waitingCount).toBe(
    sent.filter(({ ticket, outcome }) => outcome === 'waiting' && (ticket as { state?: string }).state === 'waiting')
      .length,
  );
  let responseBytes = 0;
  for (const client of ['a', 'b', 'c', 'd', 'e']) {
    expect(limits.working.of(client)).toBeLessThanOrEqual(SETTINGS.maxRequestsPerClient);
    expect(limits.responseBytes.of(client)).toBeGreaterThanOrEqual(0);
    responseBytes += limits.responseBytes.of(client);
  }
  expect(limits.responseBytes.total).toBe(responseBytes);
  // A response that has begun is not cut, so the bounds hold for what may start.
  expect(Math.max(...sent.map(({ bytesAtStart }) => bytesAtStart?.ofClient ?? 0), 0)).toBeLessThan(
    SETTINGS.maxResponseBytesPerClient,
  );
  expect(Math.max(...sent.map(({ bytesAtStart }) => bytesAtStart?.total ?? 0), 0)).toBeLessThan(
    SETTINGS.maxResponseBytesInFlight,
  );
}
