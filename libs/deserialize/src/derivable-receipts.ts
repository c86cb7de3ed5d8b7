import { receiptActors } from '@antelope-history/records';
import type { ActionTraceView } from '@antelope-history/ship';
import type { PlacedTrace } from './action-record-encoder';

/** Actions have one or two. With more, receipts would be compared for longer than it takes to store them. */
const MAX_ACTORS = 16;
const ACCOUNT_BYTES = 8;
/** An element of `auth_sequence`: an account and a 64-bit sequence. */
export const ACCOUNT_SEQUENCE_BYTES = 16;

/**
 * Whether the record of an action may have the flag `derivedReceipts`: whether its receipts are those that nodes make. `base`: the
 * packed account, name and authorization; `source` holds the bytes that the views of its traces point into.
 */
export function canDerive(base: Buffer, source: Buffer, traces: readonly PlacedTrace[]): boolean {
  const own = (traces[0] as PlacedTrace).view;
  // `eosio::onerror` runs at the account whose deferred transaction failed.
  if (!equalBytes(source, own.receiverAt, source, own.accountAt, ACCOUNT_BYTES)) return false;
  // The number of authorizations, one byte if they are as few as that.
  const authorizations = source[own.authorizationAt] as number;
  if (authorizations > MAX_ACTORS) return false;
  const actors = receiptActors(base);
  return traces.every(
    (trace, index) =>
      hasActors(base, actors, source, trace.view) &&
      hasShortSequences(source, trace.view) &&
      (index === 0 || continues(source, trace, own, index)),
  );
}

/** Whether the accounts of the receipt are those that authorized the action. */
function hasActors(base: Buffer, actors: readonly number[], source: Buffer, view: ActionTraceView): boolean {
  if (source[view.authSequenceAt] !== actors.length) return false;
  const first = view.authSequenceAt + 1;
  for (let index = 0; index < actors.length; index++) {
    if (!equalBytes(base, actors[index] as number, source, first + ACCOUNT_SEQUENCE_BYTES * index, ACCOUNT_BYTES))
      return false;
  }
  return true;
}

/** Whether all sequences of accounts have at most 48 bits: a chain reaches more in thousands of years. */
function hasShortSequences(
  source: Buffer,
  { recvSequenceAt, authSequenceAt, authSequenceEnd }: ActionTraceView,
): boolean {
  if (!isUint48(source, recvSequenceAt)) return false;
  for (let at = authSequenceAt + 1; at < authSequenceEnd; at += ACCOUNT_SEQUENCE_BYTES) {
    if (!isUint48(source, at + ACCOUNT_BYTES)) return false;
  }
  return true;
}

/** Whether the trace is that of a notification which the action itself sent, and has the sequences that follow the action's own. */
function continues(
  source: Buffer,
  { view, closestUnnotifiedAncestorOrdinal }: PlacedTrace,
  own: ActionTraceView,
  preceding: number,
): boolean {
  if (view.globalSequence !== own.globalSequence + preceding) return false;
  if (view.creatorOrdinal !== own.ordinal || closestUnnotifiedAncestorOrdinal !== own.ordinal) return false;
  if (view.codeSequence !== own.codeSequence || view.abiSequence !== own.abiSequence) return false;
  const offset = own.authSequenceAt - view.authSequenceAt;
  for (let at = view.authSequenceAt + 1; at < view.authSequenceEnd; at += ACCOUNT_SEQUENCE_BYTES) {
    const sequenceAt = at + ACCOUNT_BYTES;
    if (uint48(source, sequenceAt) !== uint48(source, sequenceAt + offset) + preceding) return false;
  }
  return true;
}

/** Whether a 64-bit integer has at most 48 bits. */
function isUint48(bytes: Buffer, at: number): boolean {
  return bytes[at + 6] === 0 && bytes[at + 7] === 0;
}

/** The lowest 48 bits of a 64-bit integer. By index, because it runs for each sequence of each trace. */
export function uint48(bytes: Buffer, at: number): number {
  const low = bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24);
  return (low >>> 0) + (bytes[at + 4]! | (bytes[at + 5]! << 8)) * 2 ** 32;
}

/** Whether two ranges have the same bytes. By index, because it runs for each trace. */
export function equalBytes(left: Buffer, leftAt: number, right: Buffer, rightAt: number, length: number): boolean {
  for (let index = 0; index < length; index++) if (left[leftAt + index] !== right[rightAt + index]) return false;
  return true;
}
