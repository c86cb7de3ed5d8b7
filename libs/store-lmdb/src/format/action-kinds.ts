/**
 * An action kind is the number of a pair (contract, action name), unique in one store; it is part of a posting list's key.
 * Kind 0 stands for all actions. Lists of the whole chain also exist per (contract, any name) and (any contract, name), so
 * that a filter with a wildcard does not have to join thousands of lists.
 */
export const ALL_KINDS = 0;

/**
 * In place of a kind: the list of an account's further traces, by their own global sequences (`readFurtherTraces`). Together with
 * the account's list of all actions it counts the account's traces. No kind reaches this number.
 */
export const FURTHER_TRACES = 0xfffffffe;

/**
 * Kinds from this number on stand for one value of one data field: the lists of the actions whose data has it. Those of actions
 * stay far below it.
 */
export const FIRST_DATA_KIND = 0x80000000;

/** The account key of the lists of the whole chain: no account has the empty name. */
export const WHOLE_CHAIN = '';

/** The account of the system contract (nodeos config.hpp, system_account_name). */
export const SYSTEM_ACCOUNT = 'eosio';
