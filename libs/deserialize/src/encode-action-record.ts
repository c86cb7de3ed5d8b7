import { ACTION_FLAGS, TRACE_FLAGS, type RecordWriter } from '@antelope-history/records';
import type { ActionTraceView } from '@antelope-history/ship';

// Constants of this module: the encoder runs once per action, a property of an import costs a load each time.
const CONTEXT_FREE = ACTION_FLAGS.contextFree;
const HAS_ELAPSED = TRACE_FLAGS.hasElapsed;
const HAS_CONSOLE = TRACE_FLAGS.hasConsole;
const HAS_RAM_DELTAS = TRACE_FLAGS.hasRamDeltas;
const HAS_EXCEPT = TRACE_FLAGS.hasExcept;
const HAS_ERROR_CODE = TRACE_FLAGS.hasErrorCode;
const HAS_RETURN_VALUE = TRACE_FLAGS.hasReturnValue;
const SAME_DIGEST = TRACE_FLAGS.sameDigest;

/** A trace with the ordinal that the deserializer derives from the traces before it. */
export interface PlacedTrace {
  view: ActionTraceView;
  closestUnnotifiedAncestorOrdinal: number;
}

/**
 * Appends the packed record of one action (see `ActionRecord`) to `writer`. `source` holds the bytes that the views point
 * into; `traces` holds the contract's own trace, then those of the notified accounts, each with a receipt;
 * `firstSequence` is the first global sequence of the transaction.
 */
export function encodeActionRecord(
  writer: RecordWriter,
  source: Buffer,
  traces: readonly PlacedTrace[],
  firstSequence: number,
): void {
  const own = (traces[0] as PlacedTrace).view;
  writer.uint8(own.contextFree ? CONTEXT_FREE : 0);
  writer.copy(source, own.accountAt, own.accountAt + 8);
  writer.copy(source, own.nameAt, own.nameAt + 8);
  writer.copy(source, own.authorizationAt, own.authorizationEnd);
  writer.lengthPrefixed(source, own.dataAt, own.dataEnd);
  writer.varuint(traces.length);
  for (const trace of traces) encodeTrace(writer, source, trace, own, firstSequence);
}

function encodeTrace(
  writer: RecordWriter,
  source: Buffer,
  trace: PlacedTrace,
  own: ActionTraceView,
  firstSequence: number,
): void {
  const { view } = trace;
  const flags = traceFlags(source, view, own);
  writer.uint8(flags);
  writer.varuint(view.ordinal);
  writer.varuint(view.creatorOrdinal);
  writer.varuint(trace.closestUnnotifiedAncestorOrdinal);
  writer.copy(source, view.receiverAt, view.receiverAt + 8);
  writer.varuint(view.globalSequence - firstSequence);
  writer.copy(source, view.recvSequenceAt, view.recvSequenceAt + 8);
  if (!(flags & SAME_DIGEST)) writer.copy(source, view.actDigestAt, view.actDigestAt + 32);
  writer.copy(source, view.authSequenceAt, view.authSequenceEnd);
  writer.varuint(view.codeSequence);
  writer.varuint(view.abiSequence);
  if (flags & HAS_ELAPSED) writer.copy(source, view.elapsedAt, view.elapsedAt + 8);
  if (flags & HAS_CONSOLE) writer.lengthPrefixed(source, view.consoleAt, view.consoleEnd);
  if (flags & HAS_RAM_DELTAS) writer.copy(source, view.ramDeltasAt, view.ramDeltasEnd);
  if (flags & HAS_EXCEPT) writer.lengthPrefixed(source, view.exceptAt, view.exceptEnd);
  if (flags & HAS_ERROR_CODE) writer.copy(source, view.errorCodeAt, view.errorCodeAt + 8);
  if (flags & HAS_RETURN_VALUE) writer.lengthPrefixed(source, view.returnValueAt, view.returnValueEnd);
}

function traceFlags(source: Buffer, view: ActionTraceView, own: ActionTraceView): number {
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
  if (view !== own && equalBytes(source, view.actDigestAt, own.actDigestAt, 32)) flags |= SAME_DIGEST;
  return flags;
}

function equalBytes(source: Buffer, left: number, right: number, length: number): boolean {
  for (let index = 0; index < length; index++) if (source[left + index] !== source[right + index]) return false;
  return true;
}
