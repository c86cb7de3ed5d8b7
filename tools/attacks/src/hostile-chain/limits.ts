/** Limits on any request, whatever contracts write to the chain. All thresholds of the test are here. */
export const LIMITS = {
  bodyBytes: 32 * 1024 * 1024,
  /** Time from the request to the last byte, on an idle core. */
  seconds: 2,
  /** Longest time of `/live` during the requests, on an idle core. */
  liveMs: 250,
  /**
   * Pages that end early have at least this many rows or bytes, with few exceptions: pages whose rows are records of many
   * megabytes in the store. Smaller pages would make reading a list cost more than its contents.
   */
  earlyPageRows: 10,
  earlyPageBytes: 1024 * 1024,
  earlyPages: 10,
  /** Resident memory of the service, ingestion and compiled code included. */
  residentBytes: 1536 * 1024 * 1024,
};

/** CI runs on a shared machine, sometimes at half speed: times may be longer by this factor, sizes may not. */
export const SHARED_MACHINE = 5;

/** A request is aborted after this time. */
export const GIVE_UP_SECONDS = 60;
/** Largest body that is parsed; the bytes of a larger one are only counted. */
export const KEPT_BYTES = LIMITS.bodyBytes + 1024 * 1024;
/** Heap limit of the service: a leak ends the service, not the machine. */
export const HEAP_MIB = 1024;

export const LIVE_INTERVAL_MS = 100;
