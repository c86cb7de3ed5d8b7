/**
 * An action kind is the number of a pair (contract, action name), unique in one store; it is part of a posting list's key.
 * Kind 0 stands for all actions. Lists of the whole chain also exist per (contract, any name) and (any contract, name), so
 * that a filter with a wildcard does not have to join thousands of lists.
 */
export const ALL_KINDS = 0;

/** The account key of the lists of the whole chain: no account has the empty name. */
export const WHOLE_CHAIN = '';
