import { HistoryError } from '@antelope-history/schemas';

/** A fork between the reads of a request is rare; several in a row are more likely a fault of the store. */
const MAX_TRIES = 5;

/**
 * The result of reads that have to be of one branch of the chain. `read` returns undefined when a fork happened between its reads, and
 * is then called again; `onRetry` is called before each further call. Throws `UNAVAILABLE` when forks happen during five calls.
 */
export async function readOneBranch<T>(
  read: () => Promise<T | undefined>,
  onRetry: () => void = () => undefined,
): Promise<T> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    if (tries > 0) onRetry();
    const found = await read();
    if (found !== undefined) return found;
  }
  throw new HistoryError('UNAVAILABLE', 'the chain is forking: try again');
}
