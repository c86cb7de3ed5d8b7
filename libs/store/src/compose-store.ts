import { HistoryError } from '@antelope-history/schemas';
import type { HistoryReader, HistoryStore, HistoryWriter } from './history-store';

/** Makes one store of its two sides; without a writer, what writes rejects with `INTERNAL`. */
export function composeStore(
  reader: HistoryReader,
  writer: HistoryWriter | undefined,
  close: () => Promise<void>,
): HistoryStore {
  const write = (): HistoryWriter => {
    if (!writer) throw new HistoryError('INTERNAL', 'the store was opened for reading only');
    return writer;
  };
  return {
    getStatus: () => reader.getStatus(),
    getActions: (query) => reader.getActions(query),
    getTransaction: (idPrefix) => reader.getTransaction(idPrefix),
    getBlock: (selector) => reader.getBlock(selector),
    getBlockTraces: (selector) => reader.getBlockTraces(selector),
    getAbis: (requests, isKnown, maxBytes) => reader.getAbis(requests, isKnown, maxBytes),
    getKeyAccounts: (key) => reader.getKeyAccounts(key),
    getControlledAccounts: (actor) => reader.getControlledAccounts(actor),
    getProgress: async () => write().getProgress(),
    setChainId: async (chainId) => write().setChainId(chainId),
    writeBlocks: async (blocks) => write().writeBlocks(blocks),
    commitWritten: async () => write().commitWritten(),
    close,
  };
}
