import type { ChainCounters } from './chain-counters';
import type { ActionSpec } from './specs';

/** An action as one account received it, with the numbers of its receipt. */
export interface ExecutedTrace {
  spec: ActionSpec;
  ordinal: number;
  creatorOrdinal: number;
  receiver: string;
  contextFree: boolean;
  globalSequence: number;
  recvSequence: bigint;
  authSequence: [string, bigint][];
  abiSequence: number;
  codeSequence: number;
}

/**
 * Runs a transaction's actions as nodeos does (transaction_context.cpp, apply_context.cpp exec): the root actions have
 * the first ordinals, what an action creates has the next when it runs; notifications run before inline actions.
 * Gives the traces in the order of their ordinals.
 */
export function executeActions(free: ActionSpec[], actions: ActionSpec[], counters: ChainCounters): ExecutedTrace[] {
  const traces: ExecutedTrace[] = [];
  const schedule = (spec: ActionSpec, receiver: string, creatorOrdinal: number, contextFree = false): ExecutedTrace => {
    const trace: ExecutedTrace = {
      spec,
      ordinal: traces.length + 1,
      creatorOrdinal,
      receiver,
      contextFree,
      globalSequence: 0,
      recvSequence: 0n,
      authSequence: [],
      abiSequence: 0,
      codeSequence: 1,
    };
    traces.push(trace);
    return trace;
  };
  const execute = (trace: ExecutedTrace): void => {
    receive(trace, counters);
    const { notified = [], inline = [] } = trace.spec;
    const notifications = notified.map((receiver) => schedule(trace.spec, receiver, trace.ordinal));
    const created = inline.map((spec) => schedule(spec, spec.account, trace.ordinal));
    for (const notification of notifications) receive(notification, counters);
    for (const each of created) execute(each);
  };
  const roots = [
    ...free.map((spec) => schedule(spec, spec.account, 0, true)),
    ...actions.map((spec) => schedule(spec, spec.account, 0)),
  ];
  for (const root of roots) execute(root);
  return traces;
}

function receive(trace: ExecutedTrace, counters: ChainCounters): void {
  const { spec, receiver } = trace;
  if (spec.abi) counters.abiSet(spec.abi.account);
  trace.globalSequence = counters.nextGlobal();
  trace.recvSequence = counters.nextReceived(receiver);
  const auths = new Map<string, bigint>();
  for (const { actor } of spec.authorization ?? []) auths.set(actor, counters.nextAuthorized(actor));
  trace.authSequence = [...auths];
  trace.abiSequence = counters.abiSequence(spec.account);
}
