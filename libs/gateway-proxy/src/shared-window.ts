import type { KeyValue } from '@antelope-history/key-value';
import { resultWithin } from '@antelope-history/app-runtime';
import { WindowCounts } from './window-counts';

export const WINDOW_MS = 60_000;
/** The longest time that a request waits for the key-value store to count it. */
const COUNT_LIMIT_MS = 250;

export interface SharedWindowDeps {
  /** What is counted; the prefix of the keys. */
  name: string;
  keyValue: KeyValue;
  /** Called when the key-value store did not count, and this gateway counted alone. */
  onCountedAlone(): void;
  /** Milliseconds since 1970. */
  now(): number;
}

/**
 * Counts per client and minute over all gateways. A window begins with the minute, so that all gateways agree when it ends.
 * While the key-value store is unavailable each gateway counts alone: the limits are looser, and the service continues.
 */
export class SharedWindow {
  private readonly here = new WindowCounts();

  constructor(private readonly deps: SharedWindowDeps) {}

  /** The client's count in this window, as far as this gateway knows it. */
  of(client: string): number {
    return this.here.of(client, this.start());
  }

  /** The end of the window, when all counts start again at 0, in milliseconds since 1970. */
  end(): number {
    return this.start() + WINDOW_MS;
  }

  /** Adds to a client's count and returns the sum. Beyond `limit` the key-value store is not asked, so a flood costs it nothing. */
  async add(client: string, amount: number, limit: number): Promise<number> {
    const start = this.start();
    const here = this.here.count(client, start, amount);
    if (here - amount >= limit) return here;
    const total = await this.countEverywhere(client, start, amount);
    // The local count takes over what other gateways counted.
    if (total > here) this.here.count(client, start, total - here);
    return Math.max(here, total);
  }

  private async countEverywhere(client: string, start: number, amount: number): Promise<number> {
    const { name, keyValue, onCountedAlone } = this.deps;
    const counting = keyValue.count(`${name}:${client}:${start}`, WINDOW_MS, amount);
    const counted = await resultWithin(counting, COUNT_LIMIT_MS, undefined);
    if (counted === undefined) onCountedAlone();
    return counted ?? 0;
  }

  private start(): number {
    const now = this.deps.now();
    return now - (now % WINDOW_MS);
  }
}
