import type { HistoryReader, StoreReader, StoreWriter } from '../history-store';

/** Both sides of one store. Only tests hold it: an app opens one side. */
export interface HistoryStore extends HistoryReader, StoreWriter {}

/** Joins two open sides of the same data; `close` closes both. */
export function joinStore(reader: StoreReader, writer: StoreWriter): HistoryStore {
  return {
    getStatus: () => reader.getStatus(),
    getActions: (query, pause) => reader.getActions(query, pause),
    getAccountTraces: (query, pause) => reader.getAccountTraces(query, pause),
    getTransaction: (idPrefix, blockNumHint, pause) => reader.getTransaction(idPrefix, blockNumHint, pause),
    getBlock: (selector) => reader.getBlock(selector),
    getBlockTraces: (selector, pause) => reader.getBlockTraces(selector, pause),
    getAbis: (requests, isKnown, maxBytes) => reader.getAbis(requests, isKnown, maxBytes),
    hasAccount: (account) => reader.hasAccount(account),
    getKeyAccounts: (key, maxAccounts, pause) => reader.getKeyAccounts(key, maxAccounts, pause),
    getControlledAccounts: (actor, maxAccounts, pause) => reader.getControlledAccounts(actor, maxAccounts, pause),
    getProgress: () => writer.getProgress(),
    setChainId: (chainId) => writer.setChainId(chainId),
    writeBlocks: (blocks, postpone) => writer.writeBlocks(blocks, postpone),
    maintain: () => writer.maintain(),
    readFreeBytes: () => writer.readFreeBytes(),
    close: async () => {
      await Promise.all([reader.close(), writer.close()]);
    },
  };
}
