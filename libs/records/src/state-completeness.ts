import type { BlockRecords } from './block-records';

/** Accounts that every chain has from its beginning, with permissions (nodeos chain_controller: initialize_database). */
const FIRST_ACCOUNTS = ['eosio', 'eosio.null'];

/**
 * Whether the state is complete from a block on. `before`: whether it was before that block; undefined for the first block that is
 * stored.
 *
 * A node's state history begins with the whole state, at genesis and at the snapshot that the node was started with; of EOSIO
 * 2.0 the second message has it. Later blocks have changes only. Block 1 is no exception: where the block 2 that follows the
 * block 1 of EOSIO 2.0 comes from a node of another version, neither has the state of genesis.
 */
export function isStateComplete(block: Pick<BlockRecords, 'permissionChanges'>, before?: boolean): boolean {
  return before === true || hasCompleteState(block);
}

/** Whether a block brings the whole state. */
export function hasCompleteState({ permissionChanges }: Pick<BlockRecords, 'permissionChanges'>): boolean {
  const owners = new Set(permissionChanges.flatMap(({ owner, authority }) => (authority ? owner : [])));
  return FIRST_ACCOUNTS.every((account) => owners.has(account));
}
