import type { Broker } from '../broker';

/** A broker of the adapter under test. */
export interface BrokerUnderTest {
  broker: Broker;
  /** Closes what is open and removes the queues that were made. */
  dispose(): Promise<void>;
}

/** What the contract must know of an adapter. */
export interface BrokerContract {
  name: string;
  open(): Promise<BrokerUnderTest>;
  /** Of how many bytes a message is that the adapter treats as a large one. */
  largeBytes: number;
  /** How long to wait before what has not happened counts as not happening, in milliseconds. */
  patienceMs: number;
  /** Whether messages outlive the client's connection, and how to connect again; else why they do not. */
  durability: { reconnect(): Promise<Broker> } | { absentBecause: string };
}
