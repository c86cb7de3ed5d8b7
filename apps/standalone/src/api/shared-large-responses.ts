import type { LargeResponseLimit } from '@antelope-history/endpoint-kit';
import { fromPostedError, toPostedError } from '../threads/thread-messages';
import type { LargeResponseReply, LargeResponseRequest } from './api-messages';

/**
 * An API thread's side of the limit on large responses, which all API threads of the process share: it asks the main thread before a
 * large response is rendered, and reports its end.
 */
export class LargeResponseClient implements LargeResponseLimit {
  private readonly waiting = new Map<number, (reply: LargeResponseReply) => void>();
  /** Those that are being rendered: which of them ends makes no difference. */
  private readonly entered: number[] = [];
  private lastId = 0;

  constructor(private readonly send: (request: LargeResponseRequest) => void) {}

  enter(signal: AbortSignal): Promise<void> {
    const id = ++this.lastId;
    return new Promise<void>((resolve, reject) => {
      signal.throwIfAborted();
      const abandon = (): void => {
        this.waiting.delete(id);
        this.send({ kind: 'leaveLarge', id });
        reject(signal.reason as Error);
      };
      signal.addEventListener('abort', abandon);
      this.waiting.set(id, ({ error }) => {
        signal.removeEventListener('abort', abandon);
        if (error) return reject(fromPostedError(error));
        this.entered.push(id);
        resolve();
      });
      this.send({ kind: 'enterLarge', id });
    });
  }

  leave(): void {
    const id = this.entered.pop();
    if (id !== undefined) this.send({ kind: 'leaveLarge', id });
  }

  /** Passes on a reply of the main thread. One that the client has not waited for is ignored. */
  receive(reply: LargeResponseReply): void {
    this.waiting.get(reply.id)?.(reply);
    this.waiting.delete(reply.id);
  }
}

/** The main thread's side of the same limit: grants the requests of one API thread. */
export class LargeResponseServer {
  private readonly held = new Map<number, { waiting: AbortController; isEntered: boolean }>();

  constructor(
    private readonly limit: LargeResponseLimit,
    private readonly reply: (reply: LargeResponseReply) => void,
  ) {}

  receive({ kind, id }: LargeResponseRequest): void {
    if (kind === 'enterLarge') void this.enter(id);
    else this.leave(id);
  }

  private async enter(id: number): Promise<void> {
    const one = { waiting: new AbortController(), isEntered: false };
    this.held.set(id, one);
    try {
      await this.limit.enter(one.waiting.signal);
      one.isEntered = true;
      this.reply({ kind: 'large', id, error: undefined });
    } catch (error) {
      this.held.delete(id);
      this.reply({ kind: 'large', id, error: toPostedError(error) });
    }
  }

  private leave(id: number): void {
    const one = this.held.get(id);
    this.held.delete(id);
    if (one?.isEntered) this.limit.leave();
    else one?.waiting.abort();
  }
}
