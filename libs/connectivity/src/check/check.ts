/**
 * One condition that has to hold for the service to work, and how to test it. The libraries that speak to a server define
 * the checks of that server; `tools/cli/src/check-config` runs them and prints their findings.
 */
export interface Check {
  /** What is checked; unique within a run, for example `redis permissions`. */
  name: string;
  /** Names of the checks that must have passed before this one can find anything. */
  needs: string[];
  /**
   * Runs the check. `signal` is aborted when the time limit is reached; a finding that is returned at once then still counts,
   * for example that the server did not respond. Rejects when the condition could not be tested.
   */
  run(signal: AbortSignal): Promise<Finding>;
}

/** The result of a check. Its text never contains a password or text that another system sent. */
export interface Finding {
  /** `warning`: it works now but needs attention; `unknown`: it could not be tested. */
  outcome: 'ok' | 'warning' | 'wrong' | 'unknown';
  /** Stable across versions, for example `redis.wrong_password`. */
  id: string;
  /** What was found: a sentence without its full stop. */
  what: string;
  /** What to change; empty when nothing has to be changed. */
  change: string;
}

/** A finding that needs no change. */
export function ok(id: string, what: string): Finding {
  return { outcome: 'ok', id, what, change: '' };
}

/** A finding that works now but needs attention. */
export function warning(id: string, what: string, change: string): Finding {
  return { outcome: 'warning', id, what, change };
}

/** A finding that keeps the service from working. */
export function wrong(id: string, what: string, change: string): Finding {
  return { outcome: 'wrong', id, what, change };
}

/** A condition that could not be tested. */
export function unknown(id: string, what: string): Finding {
  return { outcome: 'unknown', id, what, change: '' };
}
