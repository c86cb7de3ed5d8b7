import type { StoreReader, StoreWriter } from '../history-store';
import type { ContractSize } from './contract-size';
import type { HistoryStore } from './join-store';

/** A store of the adapter under test, with nothing in it at first. */
export interface StoreUnderTest {
  store: HistoryStore;
  /** Another handle on the same data, as an API has it; the caller closes it. */
  openReader(): Promise<StoreReader>;
  /** Another handle that writes to the same data, where a store has many writers; the caller closes it. */
  openWriter(): Promise<StoreWriter>;
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
  size: ContractSize;
  /** Whether any number of handles may write at once; else why only one. */
  writers: 'many' | { oneBecause: string };
  /** Where every call is a round trip to a server, and every new store a change of a cluster; undefined where none is. */
  remote: RemoteStore | undefined;
}

/** What the tests of a store behind a server wait longer for. */
export interface RemoteStore {
  because: string;
  /** By how much every time limit is longer. */
  timeFactor: number;
}

/** What a state history socket sent: the ABI text frame, then the binary messages in the order received. */
export interface RecordedChain {
  name: string;
  abi: string;
  messages: readonly { bytes: Buffer }[];
}
