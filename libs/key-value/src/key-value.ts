/**
 * The key-value port: small shared facts that may be lost at any time and are then rebuilt (progress, heartbeats,
 * rate-limit counters, cached answers). Nothing that an answer's truth depends on lives here alone.
 *
 * Every method rejects with `KEY_VALUE_UNAVAILABLE` within two seconds when the store does not answer, and at once while
 * it is known to be away.
 */
export interface KeyValue {
  get(key: string): Promise<string | undefined>;
  /** `ttlMs`: how long the value lives; undefined = until it is replaced or lost. */
  set(key: string, value: string, ttlMs?: number): Promise<void>;
  delete(key: string): Promise<void>;
  /**
   * Adds `amount`, an integer from 0 on and 1 without it, to a counter that is forgotten `ttlMs` after it was first
   * counted; gives its new value.
   */
  count(key: string, ttlMs: number, amount?: number): Promise<number>;
  /** Makes a member of a group, or gives it a new value; it belongs to it for `ttlMs`. */
  setMember(group: string, member: string, value: string, ttlMs: number): Promise<void>;
  deleteMember(group: string, member: string): Promise<void>;
  /** The values of a group's members by their names; of more than `MOST_MEMBERS`, any so many of them. */
  listMembers(group: string): Promise<Map<string, string>>;
  close(): Promise<void>;
}

export const MOST_MEMBERS = 1_000;
