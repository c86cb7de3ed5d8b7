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
      'name a node of that chain in ship.urls, or use another store',
  );
}

/** The logs of a node may end this far below its head, because the node does not read the two at the same moment. */
const MAX_LOG_LAG = 10;

/**
 * The block to request first: the one after `last`, or for an empty store `configured` (0 = not configured) or the node's first.
 * Throws `BLOCK_GAP` when the node's logs begin after it, `SHIP_DATA_MISSING` when the node does not keep them.
 */
export function startBlockOf(status: ShipStatus, last: BlockPosition | undefined, configured: number): number {
  const first = firstBlockOf(status);
  const start = last ? last.num + 1 : configured || first;
  if (!hasJustStarted(status)) {
    assertKept('traces', status.traceBegin, status.traceEnd, status.head.num);
    assertKept('chain state', status.chainStateBegin, status.chainStateEnd, status.head.num);
  }
  // Only the first block of an empty store may lack traces and deltas: that of genesis or of a snapshot.
  const begin = last || start !== first ? Math.max(status.traceBegin, status.chainStateBegin) : first;
  if (begin > Math.max(start, 2)) {
    throw new HistoryError(
      'BLOCK_GAP',
      `the node's history begins at block ${begin}, the next one needed is ${start}: name a node in ship.urls that has it`,
    );
  }
  return start;
}

/**
 * Whether a node has just started from genesis or from a snapshot: its logs begin with the next block, so nothing can be said about
 * them yet. Its first blocks show what it keeps.
 */
function hasJustStarted({ head, traceEnd, traceBegin, chainStateBegin, chainStateEnd }: ShipStatus): boolean {
  return head.num <= 2 || (traceEnd === traceBegin && chainStateEnd - chainStateBegin === 1);
}

/** Throws when a log is empty, or ends well below the head because the node no longer writes it. */
function assertKept(what: 'traces' | 'chain state', begin: number, end: number, head: number): void {
  const option = what === 'traces' ? 'trace-history' : 'chain-state-history';
  const remedy = `set ${option} = true in its configuration, or name another node in ship.urls`;
  if (end <= begin) throw new HistoryError('SHIP_DATA_MISSING', `the node keeps no ${what}: ${remedy}`);
  if (end + MAX_LOG_LAG > head) return;
  throw new HistoryError(
    'SHIP_DATA_MISSING',
    `the node's ${what} end at block ${end - 1}, its head is ${head}: ${remedy}`,
  );
}
