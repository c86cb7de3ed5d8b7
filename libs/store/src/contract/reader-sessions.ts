import type { BlockRecords, StreamPosition } from '@antelope-history/records';
import type { ChainStatus } from '../stored';
import type { HistoryStore } from './join-store';

/**
 * Numbers blocks as a reader does: within one epoch until an error, then in a new epoch that continues from the store's
 * progress.
 */
export class ReaderSessions {
  private epoch = 1_000;
  private next = 1_000;

  begin(): void {
    this.epoch = this.next + 10;
    this.next = this.epoch;
  }

  /** The blocks with new stream positions: each message has its own, also for a block that is sent again. */
  read(blocks: readonly BlockRecords[]): BlockRecords[] {
    return blocks.map((block) => ({ ...block, streamPosition: this.nextPosition() }));
  }

  private nextPosition(): StreamPosition {
    return { epoch: this.epoch, sequence: this.next++ };
  }
}

/** A store whose blocks are numbered by a reader in the order of writes. */
export function readingInto(store: HistoryStore, sessions: ReaderSessions): HistoryStore {
  return {
    getStatus: () => store.getStatus(),
    getActions: (query, pause) => store.getActions(query, pause),
    getAccountTraces: (query, pause) => store.getAccountTraces(query, pause),
    getTransaction: (idPrefix, blockNumHint, pause) => store.getTransaction(idPrefix, blockNumHint, pause),
    getBlock: (selector) => store.getBlock(selector),
    getBlockTraces: (selector, pause) => store.getBlockTraces(selector, pause),
    getAbis: (requests, isKnown, maxBytes) => store.getAbis(requests, isKnown, maxBytes),
    hasAccount: (account) => store.hasAccount(account),
    getKeyAccounts: (key, maxAccounts, pause) => store.getKeyAccounts(key, maxAccounts, pause),
    getControlledAccounts: (actor, maxAccounts, pause) => store.getControlledAccounts(actor, maxAccounts, pause),
    getProgress: () => store.getProgress(),
    setChainId: (chainId) => store.setChainId(chainId),
    maintain: () => store.maintain(),
    readFreeBytes: () => store.readFreeBytes(),
    close: () => store.close(),
    writeBlocks: (blocks) => writeRead(store, sessions, blocks),
  };
}

async function writeRead(
  store: HistoryStore,
  sessions: ReaderSessions,
  blocks: readonly BlockRecords[],
): Promise<ChainStatus> {
  try {
    await store.writeBlocks(sessions.read(blocks));
    // Far behind the head a store of many writers may commit later; the tests read right after the write.
    return await store.maintain();
  } catch (error) {
    sessions.begin();
    throw error;
  }
}
