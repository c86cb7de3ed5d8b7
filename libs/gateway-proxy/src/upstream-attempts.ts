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

/** The attempts by the request that is sent, and those of them whose response has not begun. */
export class UpstreamAttempts {
  private readonly all = new WeakMap<object, Attempt>();
  private readonly waiting = new Set<Attempt>();
  private timer: NodeJS.Timeout | undefined;

  /** `check` is called every `checkEveryMs` milliseconds while attempts wait, also when the limits let no further request through. */
  constructor(
    private readonly check: () => void,
    private readonly checkEveryMs: number,
  ) {}

  add(request: object, attempt: Attempt): void {
    this.all.set(request, attempt);
  }

  /** Throws when the request was not added. */
  of(request: object): Attempt {
    const attempt = this.all.get(request);
    if (!attempt) throw new Error('a request is sent to an upstream that was not added');
    return attempt;
  }

  choose(request: object, url: string): void {
    this.of(request).url = url;
  }

  /** The attempt waits for its response until `endWait` or until `sent` ends. */
  beginWait(request: object, sent: ClientRequest): Attempt {
    const attempt = this.of(request);
    attempt.sent = sent;
    const url = sent.socket ? serverOf(sent.socket) : undefined;
    if (url !== undefined) attempt.url = url;
    this.waiting.add(attempt);
    this.timer ??= setInterval(this.check, this.checkEveryMs);
    sent.once('close', () => this.remove(attempt));
    return attempt;
  }

  endWait(request: object): void {
    this.remove(this.of(request));
  }

  beginResponse(request: object): Attempt {
    const attempt = this.of(request);
    attempt.hasBegun = true;
    return attempt;
  }

  /** Cuts off the attempts that wait for this server and can be repeated. */
  cutOff(url: string): void {
    for (const attempt of this.waiting) {
      if (attempt.url === url && attempt.repeat) attempt.sent?.destroy(new FaultFound('a check found a fault'));
    }
  }

  private remove(attempt: Attempt): void {
    this.waiting.delete(attempt);
    if (this.waiting.size > 0) return;
    clearInterval(this.timer);
    this.timer = undefined;
  }
}
