import type { BlockRecords } from './block-records';

/** Accounts that every chain has from its beginning, with permissions (nodeos chain_controller: initialize_database). */
const FIRST_ACCOUNTS = ['eosio', 'eosio.null'];

/**
 * Whether the state is complete from a block on. `before`: whether it was before that block; undefined for the first block that is
 * stored.
 *
 * A node's state history begins with the complete state, at genesis and at the snapshot that the node was started with; later blocks
 * have changes only. An EOSIO 2.0 node sends the state of genesis with block 2, other nodes with block 1. When block 1 comes from
 * EOSIO 2.0 and block 2 from another node, neither has it.
 */
export function isStateComplete(block: Pick<BlockRecords, 'permissionChanges'>, before?: boolean): boolean {
  return before === true || hasCompleteState(block);
}

/** Whether a block brings the complete state. */
function hasCompleteState({ permissionChanges }: Pick<BlockRecords, 'permissionChanges'>): boolean {
  const owners = new Set(permissionChanges.flatMap(({ owner, authority }) => (authority ? owner : [])));
  return FIRST_ACCOUNTS.every((account) => owners.has(account));
}
