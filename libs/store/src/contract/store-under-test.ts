import type { StoreReader, StoreWriter } from '../history-store';
import type { ContractSize } from './contract-size';
import type { HistoryStore } from './join-store';

/** A store of the adapter under test; empty at first. */
export interface StoreUnderTest {
  store: HistoryStore;
  /** Another read side of the same data, as an API has it; the caller closes it. */
  openReader(): Promise<StoreReader>;
  /** Another write side of the same data, for a store of many writers; the caller closes it. */
  openWriter(): Promise<StoreWriter>;
  /** Abandons the open store as a dying process does, also during a write, and opens the data again. */
  restart(): Promise<HistoryStore>;
  /** Resolves when the work that follows from the last commit, and that no call waits for, has been done. */
  settled?(): Promise<void>;
  /** Closes all sides and deletes the data. */
  dispose(): Promise<void>;
}

/** The facts of an adapter that the contract depends on. */
export interface StoreContract {
  name: string;
  open(): Promise<StoreUnderTest>;
  /** Stores that divide the chain into parts, each of a few blocks, by different rules; none for an adapter that does not divide it. */
  divided?: readonly { by: string; open: () => Promise<StoreUnderTest> }[];
  /** The recorded chains to test with. */
  recordings: readonly RecordedChain[];
  size: ContractSize;
  /** `many` when any number of writers may write at once; otherwise the reason for one. */
  writers: 'many' | { oneBecause: string };
  /** Limits for a store on a server, where each call is a round trip; undefined for an embedded store. */
  remote: RemoteStore | undefined;
}

/** Longer time limits for the tests of a store behind a server. */
export interface RemoteStore {
  because: string;
  /** The factor of every time limit. */
  timeFactor: number;
}

/** The messages of a state history socket: the ABI text frame, then the binary messages in the order received. */
export interface RecordedChain {
  name: string;
  abi: string;
  messages: readonly { bytes: Buffer }[];
}
