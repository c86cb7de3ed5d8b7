/** What any request may take, whatever contracts put on the chain. All thresholds of the test are here. */
export const LIMITS = {
  bodyBytes: 32 * 1024 * 1024,
  /** From the request to the last byte, on an idle core. */
  seconds: 2,
  /** How long `/live` may take meanwhile, on an idle core. */
  liveMs: 250,
  /**
   * Pages that end early have so many rows, or so many bytes, but for a few: those whose rows are records of many megabytes
   * in the store. Else a walk of such pages costs more than all that they hold.
   */
  earlyPageRows: 10,
  earlyPageBytes: 1024 * 1024,
  earlyPages: 10,
  /** Resident memory of the service, ingestion and compiled code included. */
  residentBytes: 1536 * 1024 * 1024,
};

/** CI runs on a shared machine, at half speed at times: times may be this much longer there. Sizes may not. */
export const SHARED_MACHINE = 5;

/** After this long a request is given up. */
export const GIVE_UP_SECONDS = 60;
/** Bytes that are kept of a body to be read; of a longer one the rest is counted only. */
export const KEPT_BYTES = LIMITS.bodyBytes + 1024 * 1024;
/** The heap that the service is given, so that one that leaks ends instead of the machine. */
export const HEAP_MIB = 1024;

export const LIVE_INTERVAL_MS = 100;
