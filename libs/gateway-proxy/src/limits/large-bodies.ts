import type { LargeBodies } from '@antelope-history/app-runtime';
import { HistoryError } from '@antelope-history/schemas';
import { clientOf } from '../client';
import { ClientSums } from './client-sums';

/** Large bodies in memory at once. A client that sends slowly holds one for as long as a request may take. */
const MAX_BODIES = 16;
const MAX_PER_CLIENT = 4;

/** Admits a few bodies at a time that are larger than those of the service's own endpoints, until their responses have ended. */
export function createLargeBodies(limitBytes: number): LargeBodies {
  const open = new ClientSums();
  return {
    limitBytes,
    admit: (response) => {
      const { id } = clientOf(response);
      if (response.closed || open.total >= MAX_BODIES || open.of(id) >= MAX_PER_CLIENT)
        return new HistoryError('BUSY', 'send fewer large bodies at once');
      open.add(id, 1);
      response.once('close', () => open.add(id, -1));
      return undefined;
    },
  };
}
