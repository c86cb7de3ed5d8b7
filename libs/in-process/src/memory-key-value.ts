import type { KeyValue } from '@antelope-history/key-value';

interface Value {
  value: string;
  /** Milliseconds of the clock; Infinity = never. */
  expiresAt: number;
}

/** Expired values are swept when so many keys are held, so that counters of passing clients do not pile up. */
const SWEEP_AT_KEYS = 10_000;

/** The key-value port in memory. `now`: milliseconds, for tests. */
export class MemoryKeyValue implements KeyValue {
  private readonly values = new Map<string, Value>();
  private sweepAt = SWEEP_AT_KEYS;

  constructor(private readonly now: () => number = Date.now) {}

  /** Values held, those among them whose time is over and that were not swept yet. */
  get size(): number {
    return this.values.size;
  }

  get(key: string): Promise<string | undefined> {
    return Promise.resolve(this.live(key)?.value);
  }

  set(key: string, value: string, ttlMs?: number): Promise<void> {
    this.store(key, { value, expiresAt: ttlMs === undefined ? Infinity : this.now() + ttlMs });
    return Promise.resolve();
  }

  delete(key: string): Promise<void> {
    this.values.delete(key);
    return Promise.resolve();
  }

  count(key: string, ttlMs: number): Promise<number> {
    const counter = this.live(key);
    const counted = Number(counter?.value ?? 0) + 1;
    this.store(key, { value: String(counted), expiresAt: counter?.expiresAt ?? this.now() + ttlMs });
    return Promise.resolve(counted);
  }

  close(): Promise<void> {
    this.values.clear();
    return Promise.resolve();
  }

  private live(key: string): Value | undefined {
    const found = this.values.get(key);
    return found && found.expiresAt > this.now() ? found : undefined;
  }

  private store(key: string, value: Value): void {
    this.values.set(key, value);
    if (this.values.size >= this.sweepAt) this.sweep();
  }

  private sweep(): void {
    const now = this.now();
    for (const [key, { expiresAt }] of this.values) if (expiresAt <= now) this.values.delete(key);
    // What is alive stays; sweeping again only pays when as many keys have come anew.
    this.sweepAt = this.values.size + SWEEP_AT_KEYS;
  }
}
