import type { HistoryStore } from './join-store';
import { readingInto, ReaderSessions } from './reader-sessions';
import type { StoreContract, StoreUnderTest } from './store-under-test';

/** Opens a new, empty store for the blocks of a reader. */
export async function openUnderTest(contract: Pick<StoreContract, 'open'>): Promise<StoreUnderTest> {
  const under = await contract.open();
  const sessions = new ReaderSessions();
  const read = (store: HistoryStore): HistoryStore => readingInto(store, sessions);
  return {
    store: read(under.store),
    openReader: () => under.openReader(),
    openWriter: () => under.openWriter(),
    restart: async () => {
      const store = await under.restart();
      sessions.begin();
      return read(store);
    },
    settled: async () => under.settled?.(),
    dispose: () => under.dispose(),
  };
}

/** Runs `body` on such a store and always disposes of it. */
export async function withStore(
  contract: Pick<StoreContract, 'open'>,
  body: (under: StoreUnderTest) => Promise<void>,
): Promise<void> {
  const under = await openUnderTest(contract);
  try {
    await body(under);
  } finally {
    await under.dispose();
  }
}

/** The time limit of a test, from its limit for an embedded store. */
export function timeLimit({ remote }: StoreContract, milliseconds: number): number {
  return remote ? milliseconds * remote.timeFactor : milliseconds;
}
