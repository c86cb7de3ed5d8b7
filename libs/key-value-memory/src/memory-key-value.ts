import { type KeyValue, MAX_MEMBERS } from '@antelope-history/key-value';

interface Value {
  value: string;
  /** Milliseconds of the clock `now`; Infinity = never. */
  expiresAt: number;
}

/** The number of keys at which expired values are removed, so that counters of former clients do not accumulate. */
const SWEEP_AT_KEYS = 10_000;

/** The key-value port within one process. `now`: a clock in milliseconds that nobody sets. */
export class MemoryKeyValue implements KeyValue {
  private readonly values = new Map<string, Value>();
  private readonly groups = new Map<string, Map<string, Value>>();
  private sweepAt = SWEEP_AT_KEYS;

  constructor(private readonly now: () => number = () => performance.now()) {}

  /** The number of values in memory, including expired ones that are not removed yet. */
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

  count(key: string, ttlMs: number, amount = 1): Promise<number> {
    const counter = this.live(key);
    const counted = Number(counter?.value ?? 0) + amount;
    this.store(key, { value: String(counted), expiresAt: counter?.expiresAt ?? this.now() + ttlMs });
    return Promise.resolve(counted);
  }

  setMember(group: string, member: string, value: string, ttlMs: number): Promise<void> {
    const members = this.groups.get(group) ?? new Map<string, Value>();
    this.groups.set(group, members.set(member, { value, expiresAt: this.now() + ttlMs }));
    return Promise.resolve();
  }

  deleteMember(group: string, member: string): Promise<void> {
    this.groups.get(group)?.delete(member);
    return Promise.resolve();
  }

  listMembers(group: string): Promise<Map<string, string>> {
    const members = this.groups.get(group) ?? new Map<string, Value>();
    removeExpired(members, this.now());
    return Promise.resolve(
      new Map(Array.from(members, ([name, { value }]) => [name, value] as const).slice(0, MAX_MEMBERS)),
    );
  }

  close(): Promise<void> {
    this.values.clear();
    this.groups.clear();
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
    removeExpired(this.values, this.now());
    // Live values stay: the next sweep is worth its cost only after as many new keys.
    this.sweepAt = this.values.size + SWEEP_AT_KEYS;
  }
}

function removeExpired(values: Map<string, Value>, now: number): void {
  for (const [key, { expiresAt }] of values) if (expiresAt <= now) values.delete(key);
}
