import type { HistoryStore } from '../history-store';

/** A store of the adapter under test, with nothing in it at first. */
export interface StoreUnderTest {
  store: HistoryStore;
  /** Another handle on the same data, as an API has it; the caller closes it. */
  openReader(): Promise<HistoryStore>;
  /** Leaves the writing handle as a dying process does, writes under way or not, and opens the data anew. */
  restart(): Promise<HistoryStore>;
  /** Closes what is open and removes the data. */
  dispose(): Promise<void>;
}

/** What the contract must know of an adapter. */
export interface StoreContract {
  name: string;
  open(): Promise<StoreUnderTest>;
  /** Recorded chains to run through it. */
  recordings: readonly RecordedChain[];
}

/** What a state history socket sent: the ABI text frame, then the binary messages in the order received. */
export interface RecordedChain {
  name: string;
  abi: string;
  messages: readonly { bytes: Buffer }[];
}
