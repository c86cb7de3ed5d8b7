import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Response } from 'express';
import { createLargeBodies } from './large-bodies';

const KIB = 1024;
const MAX_BODIES = 16;
const MAX_PER_CLIENT = 4;

/** A body that asked for a place, and what became of it. */
interface Sent {
  received: number;
  refuse(): void;
  isAdmitted: boolean;
  /** Its place was given to another one. */
  isRefused: boolean;
  response: Response;
}

/** Places with their own clock. */
class Bench {
  now = 0;
  private readonly bodies = createLargeBodies(2 * KIB * KIB, () => this.now);

  send(client: string, { received = 0, hasLeft = false } = {}): Sent {
    const response = new ServerResponse(new IncomingMessage(new Socket())) as unknown as Response;
    response.locals = { client: { id: client } };
    if (hasLeft) Object.defineProperty(response, 'closed', { value: true });
    const sent: Sent = {
      received,
      response,
      isAdmitted: false,
      isRefused: false,
      refuse: () => (sent.isRefused = true),
    };
    sent.isAdmitted = this.bodies.admit(response, sent) === undefined;
    return sent;
  }

  /** Bodies that take all places, of as many clients as that needs. */
  fill(): Sent[] {
    return Array.from({ length: MAX_BODIES }, (_, index) => this.send(`client ${Math.floor(index / MAX_PER_CLIENT)}`));
  }
}

/** As much as arrives of a body that is not slow. */
const arrive = (bodies: readonly Sent[]): void => bodies.forEach((body) => (body.received = 2 * KIB * KIB));
const refusedOf = (bodies: readonly Sent[]): number[] => [...bodies.keys()].filter((index) => bodies[index]?.isRefused);

describe('places for large bodies', () => {
  let bench: Bench;
  beforeEach(() => (bench = new Bench()));

  it('are judged after two seconds, and the slowest body gives its place up', () => {
    const bodies = bench.fill();
    bodies.forEach((body, index) => (body.received = 1_000 + 10 * Math.abs(index - 6)));
    bench.now = 1_999;
    expect(bench.send('other').isAdmitted).toBe(false);
    bench.now = 2_000;
    expect(bench.send('other').isAdmitted).toBe(true);
    expect(refusedOf(bodies)).toEqual([6]);
  });

  it('are taken from the client that has the most of them with slow bodies', () => {
    const few = bench.send('few');
    const many = [1, 2].map(() => bench.send('many', { received: 0 }));
    const rest = Array.from({ length: MAX_BODIES - 3 }, (_, index) => bench.send(`client ${Math.floor(index / 4)}`));
    bench.now = 2_000;
    arrive(rest);
    for (const body of many) body.received = KIB;
    expect(bench.send('other').isAdmitted).toBe(true);
    expect([few.isRefused, refusedOf(many), refusedOf(rest)]).toEqual([false, [0], []]);
  });

  it('are given up once', () => {
    const bodies = bench.fill();
    const [first, second, ...others] = bodies;
    bench.now = 2_000;
    arrive(others);
    if (second) second.received = KIB;
    expect(bench.send('other').isAdmitted).toBe(true);
    expect(refusedOf(bodies)).toEqual([0]);
    expect(bench.send('other').isAdmitted).toBe(true);
    expect(refusedOf(bodies)).toEqual([0, 1]);
    for (const body of [first, second]) body?.response.emit('close');
    expect(bench.send('other').isAdmitted).toBe(false);
    others[0]?.response.emit('close');
    expect(bench.send('other').isAdmitted).toBe(true);
    expect(bench.send('another').isAdmitted).toBe(false);
  });

  it('stay with bodies that have arrived, however long their requests take', () => {
    const bodies = bench.fill();
    for (const { response } of bodies) response.req.emit('end');
    bench.now = 1_000_000;
    expect(bench.send('other').isAdmitted).toBe(false);
    expect(refusedOf(bodies)).toEqual([]);
  });

  it('do not count what arrived before a body took one', () => {
    const bodies = [bench.send('early', { received: 128 * KIB })];
    for (let count = 1; count < MAX_BODIES; count++) bodies.push(bench.send(`client ${count}`));
    bench.now = 2_000;
    arrive(bodies.slice(1));
    expect(bench.send('other').isAdmitted).toBe(true);
    expect(refusedOf(bodies)).toEqual([0]);
  });

  it('are not for a client that has left', () => {
    for (let count = 0; count < MAX_PER_CLIENT; count++) {
      expect(bench.send('gone', { hasLeft: true }).isAdmitted).toBe(false);
    }
    for (let count = 0; count < MAX_PER_CLIENT; count++) expect(bench.send('gone').isAdmitted).toBe(true);
    expect(bench.send('gone').isAdmitted).toBe(false);
  });
});
