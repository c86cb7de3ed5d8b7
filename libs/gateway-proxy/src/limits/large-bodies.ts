import type { BodyInProgress, LargeBodies } from '@antelope-history/app-runtime';
import { HistoryError } from '@antelope-history/schemas';
import type { Response } from 'express';
import { clientOf } from '../client';
import { ClientSums } from './client-sums';

/** Large bodies in memory at once. */
const MAX_BODIES = 16;
const MAX_PER_CLIENT = 4;
/** When all places are taken, a body that arrives slower than this on average gives its place up: clients could hold all of them. */
const MIN_BYTES_PER_SECOND = 64 * 1024;
/** A body is not judged before: connections begin slowly. */
const JUDGED_AFTER_MS = 2_000;

/** A body that has a place and has not arrived completely. */
interface Reading {
  client: string;
  body: BodyInProgress;
  since: number;
  receivedBefore: number;
  leave(): void;
}

/**
 * Admits a few bodies at a time that are larger than those of the service's own endpoints, until their responses have ended. `now`:
 * milliseconds of a monotonic clock.
 */
export function createLargeBodies(limitBytes: number, now: () => number = () => performance.now()): LargeBodies {
  const places = new Places(now);
  return { limitBytes, admit: (response, body) => places.admit(response, body) };
}

class Places {
  private readonly open = new ClientSums();
  private readonly reading = new Set<Reading>();

  constructor(private readonly now: () => number) {}

  admit(response: Response, body: BodyInProgress): HistoryError | undefined {
    const { id: client } = clientOf(response);
    if (response.closed || this.open.of(client) >= MAX_PER_CLIENT || !this.hasRoom()) return busy();
    let isOpen = true;
    const leave = (): void => {
      this.reading.delete(reading);
      if (isOpen) this.open.add(client, -1);
      isOpen = false;
    };
    const reading: Reading = { client, body, since: this.now(), receivedBefore: body.received, leave };
    this.open.add(client, 1);
    this.reading.add(reading);
    response.req.once('end', () => this.reading.delete(reading));
    response.once('close', leave);
    return undefined;
  }

  /** Whether there is a place, which a slow body may have to give up. */
  private hasRoom(): boolean {
    if (this.open.total < MAX_BODIES) return true;
    const slowest = this.findSlow();
    slowest?.body.refuse(busy());
    slowest?.leave();
    return slowest !== undefined;
  }

  /** The slowest body of the client that has the most places with slow ones. */
  private findSlow(): Reading | undefined {
    const slow = [...this.reading]
      .filter(({ since }) => this.now() - since >= JUDGED_AFTER_MS)
      .map((reading) => ({ reading, held: this.open.of(reading.client), rate: this.rateOf(reading) }))
      .filter(({ rate }) => rate < MIN_BYTES_PER_SECOND);
    return slow.sort((one, other) => other.held - one.held || one.rate - other.rate)[0]?.reading;
  }

  /** Bytes per second. */
  private rateOf({ body, since, receivedBefore }: Reading): number {
    return ((body.received - receivedBefore) * 1000) / (this.now() - since);
  }
}

function busy(): HistoryError {
  return new HistoryError('BUSY', 'send fewer large bodies at once, and each without a pause');
}
