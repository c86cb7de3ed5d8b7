import type { ActionTraceJson } from '@antelope-history/schemas';

/** A trace with what it created: inline actions, and notifications of other accounts. */
export interface TraceNode {
  trace: ActionTraceJson;
  /** Accounts that were notified, and whose contracts did nothing that left a trace. */
  notified: string[];
  children: TraceNode[];
}

/** The tree of a transaction's traces in execution order. A notification with traces of its own is a child, too. */
export function buildTraceTree(traces: ActionTraceJson[]): TraceNode[] {
  const nodes = new Map<number, TraceNode>();
  const creators = new Set(traces.map(({ creator_action_ordinal: creator }) => creator));
  const roots: TraceNode[] = [];
  // A creator has a lower ordinal than what it creates, but may run after its notifications.
  const byOrdinal = [...traces].sort((one, other) => one.action_ordinal - other.action_ordinal);
  for (const trace of byOrdinal) {
    const { action_ordinal: ordinal, creator_action_ordinal: creator } = trace;
    const parent = nodes.get(creator);
    if (parent && isNotification(trace) && !creators.has(ordinal)) {
      parent.notified.push(trace.receiver);
      continue;
    }
    const node: TraceNode = { trace, notified: [], children: [] };
    nodes.set(ordinal, node);
    if (parent) parent.children.push(node);
    else roots.push(node);
  }
  return roots;
}

/**
 * Whether the trace only shows an action to another account than its contract. What no trace created is none: the sender of a deferred
 * transaction that failed executes `onerror` of the system contract.
 */
export function isNotification({ receiver, act, creator_action_ordinal: creator }: ActionTraceJson): boolean {
  return receiver !== act.account && creator !== 0;
}

/** An action as the trace plugin shows it, without its creator. */
interface ShownAction {
  receiver: string;
  account: string;
}

/** The actions of a transaction, in the order of execution, without notifications. The first one is none: nothing ran before it. */
export function withoutNotifications<Shown extends ShownAction>(actions: readonly Shown[]): Shown[] {
  return actions.filter(({ receiver, account }, index) => index === 0 || receiver === account);
}
