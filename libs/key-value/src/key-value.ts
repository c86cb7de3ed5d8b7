/**
 * The key-value port: small shared values that may be lost at any time and are then rebuilt (progress, heartbeats, rate-limit
 * counters, cached responses). The correctness of a response never depends on a value that exists only here.
 *
 * Every method rejects with `KEY_VALUE_UNAVAILABLE` within two seconds when the store does not respond, and at once while
 * it is known to be unavailable.
 */
export interface KeyValue {
  get(key: string): Promise<string | undefined>;
  /** `ttlMs`: lifetime in milliseconds; undefined = until the value is replaced or lost. */
  set(key: string, value: string, ttlMs?: number): Promise<void>;
  delete(key: string): Promise<void>;
  /**
   * Adds `amount` (a non-negative integer, default 1) to a counter and returns the new value. The counter expires `ttlMs`
   * milliseconds after its first increment.
   */
  count(key: string, ttlMs: number, amount?: number): Promise<number>;
  /** Adds a member to a group, or replaces its value; the membership expires after `ttlMs` milliseconds. */
  setMember(group: string, member: string, value: string, ttlMs: number): Promise<void>;
  deleteMember(group: string, member: string): Promise<void>;
  /** The values of a group's members by name; of a larger group, any `MAX_MEMBERS` of them. */
  listMembers(group: string): Promise<Map<string, string>>;
  close(): Promise<void>;
}

/** Upper limit of members that `listMembers` returns. */
export const MAX_MEMBERS = 1_000;
