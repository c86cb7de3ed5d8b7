import type { ReplayNode } from './replay-node';

/**
 * The pace of the replayed node. `demand`: it advances when a client with credit has received all blocks, and to the blocks
 * of a client that reconnects with later ones. A number: recorded messages per second from the first blocks request on.
 * `manual`: it advances by `ShipReplay.advance` only.
 */
export type ReplayPace = 'demand' | 'manual' | number;

export interface ReplayClock {
  /** A client requested blocks from `start` on. */
  begin(start: number): void;
  /** A client waits for the next block. */
  demand(): void;
  stop(): void;
}

/** Throws for a number that is not above 0. */
export function createClock(pace: ReplayPace, node: ReplayNode): ReplayClock {
  if (typeof pace === 'number' && !(pace > 0)) throw new Error('The pace is a number of messages a second, above 0');
  if (pace === 'manual') return new StoppedClock();
  return pace === 'demand' ? new DemandClock(node) : new SteadyClock(node, pace);
}

class StoppedClock implements ReplayClock {
  begin(): void {}
  demand(): void {}
  stop(): void {}
}

/** Advances one message per turn of the event loop, so that acknowledgements and other clients are handled between. */
class DemandClock implements ReplayClock {
  private scheduled: NodeJS.Immediate | undefined;

  constructor(private readonly node: ReplayNode) {}

  begin(start: number): void {
    while (this.node.head.num < start - 1 && !this.node.atEnd) this.node.advance();
  }

  demand(): void {
    if (this.node.atEnd) return;
    this.scheduled ??= setImmediate(() => {
      this.scheduled = undefined;
      this.node.advance();
    });
  }

  stop(): void {
    clearImmediate(this.scheduled);
  }
}

class SteadyClock implements ReplayClock {
  private timer: NodeJS.Timeout | undefined;
  private startedAt = 0;
  private played = 0;

  constructor(
    private readonly node: ReplayNode,
    private readonly messagesPerSecond: number,
  ) {}

  begin(): void {
    if (this.timer) return;
    this.startedAt = performance.now();
    this.schedule();
  }

  demand(): void {}

  stop(): void {
    clearTimeout(this.timer);
  }

  private schedule(): void {
    const dueAt = this.startedAt + ((this.played + 1) * 1000) / this.messagesPerSecond;
    this.timer = setTimeout(() => this.catchUp(), Math.max(0, dueAt - performance.now()));
  }

  /** Timers are late under load: all messages that are due are played at once. */
  private catchUp(): void {
    const due = Math.floor(((performance.now() - this.startedAt) * this.messagesPerSecond) / 1000);
    for (; this.played < due && !this.node.atEnd; this.played++) this.node.advance();
    if (!this.node.atEnd) this.schedule();
  }
}
