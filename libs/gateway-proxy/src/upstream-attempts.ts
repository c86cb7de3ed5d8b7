import type { ClientRequest } from 'node:http';
import { serverOf } from './upstream-agent';

/** What is known of a request that is sent to one of several servers. */
export interface Attempt {
  /** The end of the time for the response, by `performance.now()`. A repeated request gets no more time. */
  readonly endsAt: number;
  /** Sends the request once more; undefined for one that may not be repeated. */
  readonly repeat: (() => void) | undefined;
  /** The first attempt of its request, which is sent on a kept connection if there is one. */
  readonly isFirst: boolean;
  /** The server that was chosen, and then the one that the connection leads to. */
  url?: string;
  sent?: ClientRequest;
  /** The head of the response has arrived: its cost is charged, and its headers are those of the client's response. */
  hasBegun?: true;
}

/** Ends an attempt at a server that a check found a fault in. */
export class FaultFound extends Error {}

/** The attempts whose response has not begun. */
export class UpstreamAttempts {
  /**
   * An array. V8 can keep what a `Set` held, as the values of a `WeakMap`, until the next full garbage collection, with the whole request:
   * a third of the gateway's processor time.
   */
  private readonly waiting: Attempt[] = [];
  private timer: NodeJS.Timeout | undefined;

  /** `check` is called every `checkEveryMs` milliseconds while attempts wait, also when the limits let no further request through. */
  constructor(
    private readonly check: () => void,
    private readonly checkEveryMs: number,
  ) {}

  /** The attempt waits for its response until `endWait` or until `sent` ends. */
  beginWait(attempt: Attempt, sent: ClientRequest): void {
    attempt.sent = sent;
    const url = sent.socket ? serverOf(sent.socket) : undefined;
    if (url !== undefined) attempt.url = url;
    this.waiting.push(attempt);
    this.timer ??= setInterval(this.check, this.checkEveryMs);
    sent.once('close', () => this.endWait(attempt));
  }

  endWait(attempt: Attempt): void {
    const index = this.waiting.indexOf(attempt);
    const last = this.waiting.at(-1);
    if (index < 0 || !last) return;
    this.waiting[index] = last;
    this.waiting.pop();
    if (this.waiting.length > 0) return;
    clearInterval(this.timer);
    this.timer = undefined;
  }

  /** Cuts off the attempts that wait for this server and can be repeated. */
  cutOff(url: string): void {
    for (const attempt of [...this.waiting]) {
      if (attempt.url === url && attempt.repeat) attempt.sent?.destroy(new FaultFound('a check found a fault'));
    }
  }
}
