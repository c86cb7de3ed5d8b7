import type { AbiDecoder, DecodeAllowance } from '@antelope-history/abi';
import type { JsonValue } from '@antelope-history/json';
import type { ActionRecord, ActionTrace } from '@antelope-history/records';

/** The trace of the contract itself; all other traces of an action are notifications. */
export function ownTrace(action: ActionRecord): ActionTrace {
  return action.traces[0] as ActionTrace;
}

/** The traces of several actions in execution order, each with its action. */
export function tracesInOrder<T extends { action: ActionRecord }>(
  actions: readonly T[],
): { of: T; trace: ActionTrace }[] {
  const traces: { of: T; trace: ActionTrace }[] = [];
  let isInOrder = true;
  let last = -1;
  for (const of of actions) {
    for (const trace of of.action.traces) {
      const { globalSequence } = trace.receipt;
      isInOrder &&= globalSequence > last;
      last = globalSequence;
      traces.push({ of, trace });
    }
  }
  // Most transactions have no action between another one and its notifications.
  if (isInOrder) return traces;
  return traces.sort((left, right) => left.trace.receipt.globalSequence - right.trace.receipt.globalSequence);
}

/** The decoded return value of an action; undefined if it returned nothing or the ABI gives it no type. */
export function decodeReturnValue(
  action: ActionRecord,
  trace: ActionTrace,
  decoder: AbiDecoder | undefined,
  allowance?: DecodeAllowance,
): JsonValue | undefined {
  if (trace.returnValue.length === 0) return undefined;
  return decoder?.decodeActionResult(action.name, trace.returnValue, allowance);
}
