import type { Broker } from '../broker';

/** A broker of the adapter under test. */
export interface BrokerUnderTest {
  broker: Broker;
  /** Closes the open brokers and removes their queues. */
  dispose(): Promise<void>;
}

/** The adapter-specific settings of the contract suite. */
export interface BrokerContract {
  name: string;
  open(): Promise<BrokerUnderTest>;
  /** The size in bytes from which the adapter treats a message as a large one. */
  largeBytes: number;
  /** Milliseconds after which an event that has not happened counts as not happening. */
  patienceMs: number;
  /**
   * Whether the unsettled messages of several consumers that end return to the queue in the order of publishing. Otherwise only
   * those of each consumer are in order; in any case they come before what was not delivered yet.
   */
  restoresOrder: boolean;
  /** How to connect again, when messages outlive the client's connection; else the reason why they do not. */
  durability: { reconnect(): Promise<Broker> } | { absentBecause: string };
}
