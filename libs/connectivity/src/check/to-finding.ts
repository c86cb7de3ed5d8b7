import { ConnectionError } from '../connection-trouble';
import { wrong, type Finding } from './check';

/** The finding for a connection that failed; throws every other error again. `prefix` begins the id, for example `redis`. */
export function toFinding(error: unknown, prefix: string): Finding {
  if (!(error instanceof ConnectionError)) throw error;
  const { kind, what, change } = error.trouble;
  return wrong(`${prefix}.${kind}`, what, change);
}
