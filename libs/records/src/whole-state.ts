import type { BlockRecords } from './block-records';

/** Accounts that every chain has from its beginning (nodeos chain_controller: initialize_database). */
const FIRST_ACCOUNTS = ['eosio', 'eosio.null'];

/**
 * Whether the state is complete from a block on. `before`: whether it was before that block; undefined for the first block that is
 * stored.
 *
 * A node's state history begins with the whole state, at genesis and at the snapshot that the node was started with; of EOSIO
 * 2.0 the second message has it. Later blocks have changes only.
 */
export function isStateComplete(
  block: Pick<BlockRecords, 'position' | 'permissionChanges'>,
  before?: boolean,
): boolean {
  return before === true || block.position.num === 1 || hasWholeState(block);
}

/** Whether a block brings the whole state. */
export function hasWholeState({ permissionChanges }: Pick<BlockRecords, 'permissionChanges'>): boolean {
  const owners = new Set(permissionChanges.flatMap(({ owner, authority }) => (authority ? owner : [])));
  return FIRST_ACCOUNTS.every((account) => owners.has(account));
}
