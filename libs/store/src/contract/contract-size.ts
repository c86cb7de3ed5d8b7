/** How much generated input the contract runs through an adapter. */
export interface ContractSize {
  /** Synthetic chains, each a sequence of writes, forks and restarts, per property. */
  chains: number;
  /** Generated queries after each step of a synthetic chain. */
  queriesPerStep: number;
  /** Generated queries after each batch of a recorded chain. */
  queriesPerBatch: number;
  /** Generated queries of a whole recorded chain. */
  queriesPerRecording: number;
  /** Every how many-th block and transaction of a recorded chain is read one by one, and its ABIs; 1 for all. */
  recordedStride: number;
  /** Actions in the longest list. */
  longList: number;
}

/** For `npm run test:long`. */
export const FULL_SIZE: ContractSize = {
  chains: 40,
  queriesPerStep: 15,
  queriesPerBatch: 60,
  queriesPerRecording: 1_200,
  recordedStride: 1,
  longList: 110_000,
};

/**
 * For an embedded store, where a call costs less than the model's answer to it. The seeds are those of the full size, so that
 * the inputs are a prefix of the full ones, as they are below.
 */
export const MEDIUM_SIZE: ContractSize = {
  chains: 8,
  queriesPerStep: 12,
  queriesPerBatch: 10,
  queriesPerRecording: 200,
  recordedStride: 3,
  longList: 40_000,
};

/**
 * For a store behind a server, where every call is a few requests and every new store a change of a cluster. The long list
 * is still twice as long as the 10,000 rows that Elasticsearch sorts for a page.
 */
export const SMALL_SIZE: ContractSize = {
  chains: 2,
  queriesPerStep: 4,
  queriesPerBatch: 3,
  queriesPerRecording: 80,
  recordedStride: 20,
  longList: 24_000,
};
