/**
 * The key-value port: small shared facts that may be lost at any time and are then rebuilt (progress, heartbeats,
 * rate-limit counters, cached answers). Nothing that an answer's truth depends on lives here alone.
 */
export interface KeyValue {
  get(key: string): Promise<string | undefined>;
  /** `ttlMs`: how long the value lives; undefined = until it is replaced or lost. */
  set(key: string, value: string, ttlMs?: number): Promise<void>;
  delete(key: string): Promise<void>;
  /** Adds 1 to a counter that is forgotten `ttlMs` after it was first counted; gives its new value. */
  count(key: string, ttlMs: number): Promise<number>;
  close(): Promise<void>;
}
