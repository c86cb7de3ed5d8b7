import { abisOfTransaction, renderTransaction } from '@antelope-history/responses';
import type { ROUTES } from '@antelope-history/routes';
import { HistoryError } from '@antelope-history/schemas';
import type { TransactionLookup } from '@antelope-history/store';
import type { Endpoint, EndpointContext } from '../endpoint';
import { isIrreversible } from '../irreversible';

const ID_OR_PREFIX = /^[0-9a-f]{8,64}$/;
const WHOLE_ID_LENGTH = 64;

export function createGetTransaction({ reader, abis }: EndpointContext): Endpoint<typeof ROUTES.getTransaction> {
  return async (request, work) => {
    const id = request.id.toLowerCase();
    if (!ID_OR_PREFIX.test(id)) throw new HistoryError('INVALID_TRANSACTION_ID', 'id: give 8 to 64 hex digits');
    const { found, decoders } = await abis.read(work, () => reader.getTransaction(id), abisOfLookup);
    if (found.found !== 'one') throw notFound(id, found.found);
    const { transaction, status } = found;
    // A prefix may name several transactions one day.
    const isFinal = id.length === WHOLE_ID_LENGTH && isIrreversible(transaction.blockNum, status);
    return {
      body: await work.run(renderTransaction(transaction, status, decoders, work.budget)),
      final: isFinal ? { id, blockNum: transaction.blockNum, status } : undefined,
    };
  };
}

function abisOfLookup(lookup: TransactionLookup) {
  return lookup.found === 'one' ? abisOfTransaction(lookup.transaction) : [];
}

function notFound(id: string, found: 'none' | 'several'): HistoryError {
  if (found === 'none') return new HistoryError('TRANSACTION_NOT_FOUND', `Transaction ${id} not found in history`);
  return new HistoryError('AMBIGUOUS_TRANSACTION_ID', `id: several transactions begin with ${id}; give more digits`);
}
