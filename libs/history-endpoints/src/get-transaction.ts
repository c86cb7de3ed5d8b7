import { type CreateEndpoint, isIrreversible, shownHeads } from '@antelope-history/endpoint-kit';
import type { HISTORY_ROUTES } from '@antelope-history/history-routes';
import { HistoryError } from '@antelope-history/schemas';
import type { TransactionLookup } from '@antelope-history/store';
import { abisOfTransaction, renderTransaction } from './get-transaction-response';

const ID_OR_PREFIX = /^[0-9a-f]{8,64}$/;
const WHOLE_ID_LENGTH = 64;

export const createGetTransaction: CreateEndpoint<typeof HISTORY_ROUTES.getTransaction> = ({ reader, abis }) => {
  return async (request, work) => {
    const id = request.id.toLowerCase();
    if (!ID_OR_PREFIX.test(id)) throw new HistoryError('INVALID_TRANSACTION_ID', 'id: give 8 to 64 hex digits');
    const { found, decoders } = await abis.read(
      work,
      () => reader.getTransaction(id, request.block_num_hint, (steps) => work.pauseSearch(steps)),
      abisOfLookup,
    );
    if (found.found !== 'one') throw notFound(id, found.found);
    const { transaction, status } = found;
    // The response to a prefix is never final: a later transaction may have the same prefix. Of several with one id, the one in the
    // hinted block is shown: it may be yet to come.
    const isFinal =
      id.length === WHOLE_ID_LENGTH &&
      isIrreversible(transaction.blockNum, status) &&
      (request.block_num_hint ?? 0) <= shownHeads(status).lastIrreversible;
    return {
      body: await work.run(renderTransaction(transaction, status, decoders, work.budget)),
      final: isFinal ? { id, blockNum: transaction.blockNum, status } : undefined,
    };
  };
};

function abisOfLookup(lookup: TransactionLookup) {
  return lookup.found === 'one' ? abisOfTransaction(lookup.transaction) : [];
}

function notFound(id: string, found: 'none' | 'several'): HistoryError {
  if (found === 'none') return new HistoryError('TRANSACTION_NOT_FOUND', `Transaction ${id} not found in history`);
  return new HistoryError('AMBIGUOUS_TRANSACTION_ID', `id: several transactions begin with ${id}; give more digits`);
}
