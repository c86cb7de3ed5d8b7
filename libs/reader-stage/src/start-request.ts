import { type BlockPosition, HistoryError } from '@antelope-history/schemas';
import type { ShipStatus } from '@antelope-history/ship';
import { firstBlockOf } from './chain-position';

/**
 * Throws `CHAIN_ID_MISMATCH` when a node is on another chain than the indexed one. EOSIO 2.0 reports no chain id; then only
 * block ids can differ. While no chain is indexed, every chain is accepted.
 */
export function checkChain(nodeChainId: string | undefined, indexedChainId: string | undefined): void {
  if (nodeChainId === undefined || indexedChainId === undefined || nodeChainId === indexedChainId) return;
  throw new HistoryError(
    'CHAIN_ID_MISMATCH',
    `the node is on chain ${nodeChainId}, this service indexes ${indexedChainId}: ` +
      'connect to a node of that chain, or use another data directory',
  );
}

/**
 * The block to request first: the one after `last`, or for an empty store `configured` (0 = not configured) or the node's first.
 * Throws `BLOCK_GAP` when the node's history begins after it.
 */
export function startBlockOf(status: ShipStatus, last: BlockPosition | undefined, configured: number): number {
  const first = firstBlockOf(status);
  if (!last) return configured || first;
  const next = last.num + 1;
  if (first > next) {
    throw new HistoryError(
      'BLOCK_GAP',
      `the node's history begins at block ${first}, the next one needed is ${next}: name a node in ship.urls that has it`,
    );
  }
  return next;
}
