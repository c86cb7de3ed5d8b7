/**
 * One thing that has to be so for the service to work, and how to find out. Nothing here does it: servers are checked by
 * who speaks to them, `tools/check-config` runs the checks and shows what they found.
 */
export interface Check {
  /** What is checked, once in a run: `redis permissions`. */
  name: string;
  /** Names of the checks without which this one can find nothing out. */
  needs: string[];
  /**
   * Time is up when the signal is raised: what it says at once then is still taken, such as who did not answer. Rejects
   * when it could not find out.
   */
  run(signal: AbortSignal): Promise<Finding>;
}

/** What a check found. No text of it holds a password, or what another system wrote. */
export interface Finding {
  /** `warning`: it works now, and somebody should look at it; `unknown`: it could not be found out. */
  outcome: 'ok' | 'warning' | 'wrong' | 'unknown';
  /** Stays the same from version to version: `redis.wrong_password`. */
  id: string;
  /** What is so; a sentence without its full stop. */
  what: string;
  /** What to change; empty when nothing is to be done. */
  change: string;
}

export function ok(id: string, what: string): Finding {
  return { outcome: 'ok', id, what, change: '' };
}

export function warning(id: string, what: string, change: string): Finding {
  return { outcome: 'warning', id, what, change };
}

export function wrong(id: string, what: string, change: string): Finding {
  return { outcome: 'wrong', id, what, change };
}

export function unknown(id: string, what: string, change = ''): Finding {
  return { outcome: 'unknown', id, what, change };
}
