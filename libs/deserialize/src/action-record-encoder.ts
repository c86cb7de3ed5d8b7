import {
  ActDigests,
  ACTION_FLAGS,
  BASE_AT,
  DIGEST_BYTES,
  DIGEST_CHECK_BYTES,
  type RecordWriter,
  TRACE_FLAGS,
} from '@antelope-history/records';
import type { ActionTraceView } from '@antelope-history/ship';
import { ACCOUNT_SEQUENCE_BYTES, canDerive, equalBytes, uint48 } from './derivable-receipts';

// Constants of this module: the encoder runs once per action, a property of an import costs a load each time.
const CONTEXT_FREE = ACTION_FLAGS.contextFree;
const DIGESTS_COVER_RETURN_VALUE = ACTION_FLAGS.digestsCoverReturnValue;
const DERIVED_RECEIPTS = ACTION_FLAGS.derivedReceipts;
const HAS_ELAPSED = TRACE_FLAGS.hasElapsed;
const HAS_CONSOLE = TRACE_FLAGS.hasConsole;
const HAS_RAM_DELTAS = TRACE_FLAGS.hasRamDeltas;
const HAS_EXCEPT = TRACE_FLAGS.hasExcept;
const HAS_ERROR_CODE = TRACE_FLAGS.hasErrorCode;
const HAS_RETURN_VALUE = TRACE_FLAGS.hasReturnValue;
const SAME_DIGEST = TRACE_FLAGS.sameDigest;
const COMPUTED_DIGEST = TRACE_FLAGS.computedDigest;

/** A trace with the ordinal that the deserializer derives from the traces before it. */
export interface PlacedTrace {
  view: ActionTraceView;
  closestUnnotifiedAncestorOrdinal: number;
}

/** Appends packed records of actions (see `ActionRecord`) to `writer`. */
export class ActionRecordEncoder {
  /** Whether the digests of the last action cover return values: those of a block all do or all do not. */
  private coverReturnValue = true;

  constructor(private readonly writer: RecordWriter) {}

  /**
   * `source` holds the bytes that the views point into; `traces` holds the contract's own trace, then those of the notified accounts,
   * each with a receipt; `firstSequence` is the first global sequence of the transaction.
   */
  encode(source: Buffer, traces: readonly PlacedTrace[], firstSequence: number): void {
    const { writer } = this;
    const own = (traces[0] as PlacedTrace).view;
    const start = writer.offset;
    writer.uint8(0);
    writer.copy(source, own.accountAt, own.accountAt + 8);
    writer.copy(source, own.nameAt, own.nameAt + 8);
    writer.copy(source, own.authorizationAt, own.authorizationEnd);
    const base = writer.view(start + BASE_AT);
    const digests = this.findDigests(base, source, own);
    const isDerived = canDerive(base, source, traces);
    writer.replace(start, actionFlags(own, digests, isDerived));
    writer.lengthPrefixed(source, own.dataAt, own.dataEnd);
    writer.varuint(traces.length);
    for (const trace of traces) {
      const traceFlags = flagsOf(source, trace.view) | digestFlag(source, trace.view, own, digests);
      writer.uint8(traceFlags);
      if (isDerived) encodeDerived(writer, source, trace, own, traceFlags, firstSequence);
      else encodeWhole(writer, source, trace, traceFlags, firstSequence);
      encodeOptional(writer, source, trace.view, traceFlags);
    }
  }

  /** The digests of the action, if the one in the receipt of the contract's own trace is among them. */
  private findDigests(base: Buffer, source: Buffer, own: ActionTraceView): ActDigests | undefined {
    const data = source.subarray(own.dataAt, own.dataEnd);
    for (const coverReturnValue of [this.coverReturnValue, !this.coverReturnValue]) {
      const returnsValue = own.returnValueEnd > own.returnValueAt;
      const digests = new ActDigests(base, data, coverReturnValue);
      if ((returnsValue && !coverReturnValue) || !isDigestOf(digests, source, own)) continue;
      this.coverReturnValue = coverReturnValue;
      return digests;
    }
    return undefined;
  }
}

function actionFlags(own: ActionTraceView, digests: ActDigests | undefined, isDerived: boolean): number {
  return (
    (own.contextFree ? CONTEXT_FREE : 0) |
    (digests?.coverReturnValue ? DIGESTS_COVER_RETURN_VALUE : 0) |
    (isDerived ? DERIVED_RECEIPTS : 0)
  );
}

function isDigestOf(digests: ActDigests, source: Buffer, view: ActionTraceView): boolean {
  const digest = digests.of(source.subarray(view.returnValueAt, view.returnValueEnd));
  return digest === source.toString('latin1', view.actDigestAt, view.actDigestAt + DIGEST_BYTES);
}

/** How the record of a trace gives its digest; 0 = as a whole. */
function digestFlag(
  source: Buffer,
  view: ActionTraceView,
  own: ActionTraceView,
  digests: ActDigests | undefined,
): number {
  if (view === own) return digests ? COMPUTED_DIGEST : 0;
  if (equalBytes(source, view.actDigestAt, source, own.actDigestAt, DIGEST_BYTES)) return SAME_DIGEST;
  // A digest that covers a value is computed for each trace anew: a hostile action with large data could have a thousand.
  if (!digests || view.returnValueEnd > view.returnValueAt) return 0;
  return isDigestOf(digests, source, view) ? COMPUTED_DIGEST : 0;
}

function encodeWhole(
  writer: RecordWriter,
  source: Buffer,
  { view, closestUnnotifiedAncestorOrdinal }: PlacedTrace,
  flags: number,
  firstSequence: number,
): void {
  writer.varuint(view.ordinal);
  writer.varuint(view.creatorOrdinal);
  writer.varuint(closestUnnotifiedAncestorOrdinal);
  writer.copy(source, view.receiverAt, view.receiverAt + 8);
  writer.varuint(view.globalSequence - firstSequence);
  writer.copy(source, view.recvSequenceAt, view.recvSequenceAt + 8);
  encodeDigest(writer, source, view, flags);
  writer.copy(source, view.authSequenceAt, view.authSequenceEnd);
  writer.varuint(view.codeSequence);
  writer.varuint(view.abiSequence);
}

/** Leaves out what `canDerive` has compared. */
function encodeDerived(
  writer: RecordWriter,
  source: Buffer,
  { view, closestUnnotifiedAncestorOrdinal }: PlacedTrace,
  own: ActionTraceView,
  flags: number,
  firstSequence: number,
): void {
  writer.varuint(view.ordinal);
  if (view !== own) {
    writer.copy(source, view.receiverAt, view.receiverAt + 8);
    writer.varuint(uint48(source, view.recvSequenceAt));
    encodeDigest(writer, source, view, flags);
    return;
  }
  writer.varuint(view.creatorOrdinal);
  writer.varuint(closestUnnotifiedAncestorOrdinal);
  writer.varuint(view.globalSequence - firstSequence);
  writer.varuint(uint48(source, view.recvSequenceAt));
  encodeDigest(writer, source, view, flags);
  for (let at = view.authSequenceAt + 1; at < view.authSequenceEnd; at += ACCOUNT_SEQUENCE_BYTES) {
    writer.varuint(uint48(source, at + 8));
  }
  writer.varuint(view.codeSequence);
  writer.varuint(view.abiSequence);
}

function encodeDigest(writer: RecordWriter, source: Buffer, { actDigestAt }: ActionTraceView, flags: number): void {
  if (flags & SAME_DIGEST) return;
  writer.copy(source, actDigestAt, actDigestAt + (flags & COMPUTED_DIGEST ? DIGEST_CHECK_BYTES : DIGEST_BYTES));
}

function encodeOptional(writer: RecordWriter, source: Buffer, view: ActionTraceView, flags: number): void {
  if (flags & HAS_ELAPSED) writer.copy(source, view.elapsedAt, view.elapsedAt + 8);
  if (flags & HAS_CONSOLE) writer.lengthPrefixed(source, view.consoleAt, view.consoleEnd);
  if (flags & HAS_RAM_DELTAS) writer.copy(source, view.ramDeltasAt, view.ramDeltasEnd);
  if (flags & HAS_EXCEPT) writer.lengthPrefixed(source, view.exceptAt, view.exceptEnd);
  if (flags & HAS_ERROR_CODE) writer.copy(source, view.errorCodeAt, view.errorCodeAt + 8);
  if (flags & HAS_RETURN_VALUE) writer.lengthPrefixed(source, view.returnValueAt, view.returnValueEnd);
}

/** Which optional fields the record of a trace has. */
function flagsOf(source: Buffer, view: ActionTraceView): number {
  let flags = 0;
  for (let index = 0; index < 8; index++) {
    if (source[view.elapsedAt + index] !== 0) {
      flags |= HAS_ELAPSED;
      break;
    }
  }
  if (view.consoleEnd > view.consoleAt) flags |= HAS_CONSOLE;
  if (source[view.ramDeltasAt] !== 0) flags |= HAS_RAM_DELTAS;
  if (view.exceptAt >= 0) flags |= HAS_EXCEPT;
  if (view.errorCodeAt >= 0) flags |= HAS_ERROR_CODE;
  if (view.returnValueEnd > view.returnValueAt) flags |= HAS_RETURN_VALUE;
  return flags;
}
