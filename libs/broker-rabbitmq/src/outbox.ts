import type { HistoryError } from '@antelope-history/schemas';
import type { Headers } from './message-parts';

/** A message on its way, until the server has confirmed it. */
export interface Outgoing {
  body: Buffer;
  headers: Headers;
  /** It came from the server as it is: not to be split. */
  isWhole: boolean;
  /** Where the parts of a large one are put. */
  partsQueue: string | undefined;
  /** Set when they are safe: how much of the body travels in the message itself, and what says where the rest is. */
  split: { headBytes: number; headers: Headers } | undefined;
  confirmed(): void;
  failed(error: HistoryError): void;
}

/** What is to be published to one queue, in the order in which it was given. */
export class Outbox {
  private readonly waiting: Outgoing[] = [];
  private readonly places = new Map<Outgoing, number>();
  private lastPlace = 0;

  /** What is to be published next. */
  get next(): Outgoing | undefined {
    return this.waiting[0];
  }

  add(message: Outgoing): void {
    this.places.set(message, ++this.lastPlace);
    this.waiting.push(message);
  }

  /** Gives the next one out of hand, until it is confirmed or put back. */
  take(): Outgoing {
    return this.waiting.shift() as Outgoing;
  }

  confirm(message: Outgoing): void {
    if (this.places.delete(message)) message.confirmed();
  }

  /** Where it came from. */
  putBack(message: Outgoing): void {
    const place = this.places.get(message);
    if (place === undefined) return;
    const after = this.waiting.findIndex((other) => (this.places.get(other) ?? 0) > place);
    this.waiting.splice(after < 0 ? this.waiting.length : after, 0, message);
  }

  /** All that is not confirmed, also what was given out. */
  fail(error: HistoryError): void {
    const messages = [...this.places.keys()];
    this.places.clear();
    this.waiting.length = 0;
    for (const message of messages) message.failed(error);
  }
}
