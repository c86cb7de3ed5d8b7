import type { KeyValue } from '@antelope-history/key-value';
import { answerInTime } from '@antelope-history/service';
import { WindowCounts } from './window-counts';

export const WINDOW_MS = 60_000;
/** No request waits longer to be counted. */
const COUNT_LIMIT_MS = 250;

export interface SharedWindowDeps {
  /** What is counted: the first part of keys. */
  name: string;
  keyValue: KeyValue;
  /** Told when the key-value store did not count. */
  onCountedAlone(): void;
  /** Milliseconds since 1970. */
  now(): number;
}

/**
 * Counts by client and minute, over all gateways. Windows begin with the minute, so that all agree when one ends. While the
 * key-value store is away each gateway counts what itself lets through: limits are looser then, and the service goes on.
 */
export class SharedWindow {
  private readonly here = new WindowCounts();

  constructor(private readonly deps: SharedWindowDeps) {}

  /** What is counted of a client, as far as this gateway knows. */
  of(client: string): number {
    return this.here.of(client, this.start());
  }

  /** Seconds until all begin at 0 again. */
  secondsLeft(): number {
    return Math.ceil((this.start() + WINDOW_MS - this.deps.now()) / 1000);
  }

  /** Adds to a client's count and gives the sum; beyond `limit` the key-value store is not asked: a flood ends here. */
  async add(client: string, amount: number, limit: number): Promise<number> {
    const start = this.start();
    const here = this.here.count(client, start, amount);
    if (here - amount >= limit) return here;
    const total = await this.countEverywhere(client, start, amount);
    // What other gateways counted is known here from now on.
    if (total > here) this.here.count(client, start, total - here);
    return Math.max(here, total);
  }

  private async countEverywhere(client: string, start: number, amount: number): Promise<number> {
    const { name, keyValue, onCountedAlone } = this.deps;
    const counting = keyValue.count(`${name}:${client}:${start}`, WINDOW_MS, amount);
    const counted = await answerInTime(counting, COUNT_LIMIT_MS, undefined);
    if (counted === undefined) onCountedAlone();
    return counted ?? 0;
  }

  private start(): number {
    const now = this.deps.now();
    return now - (now % WINDOW_MS);
  }
}
