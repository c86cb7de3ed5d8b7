import type { ChainState } from './chain-state';
import { actDigest } from './digests';
import type { ActionSpec, ExecutedAction, ExecutedTrace } from './generated-block';

const NOTHING = Buffer.alloc(0);
const CODE_SEQUENCE = 1;

/**
 * Runs the actions of a transaction in the order of nodeos (transaction_context.cpp, apply_context.cpp exec): root actions have
 * the first ordinals; an action runs, then each account that it notifies, then the actions that all of them sent. Returns the
 * traces in the order of their ordinals.
 */
export function executeActions(
  contextFree: readonly ActionSpec[],
  actions: readonly ActionSpec[],
  state: ChainState,
): ExecutedTrace[] {
  const execution = new Execution(state);
  execution.run(contextFree, actions);
  return execution.traces;
}

class Execution {
  readonly traces: ExecutedTrace[] = [];

  constructor(private readonly state: ChainState) {}

  run(contextFree: readonly ActionSpec[], actions: readonly ActionSpec[]): void {
    const roots = [
      ...contextFree.map((spec) => this.scheduleAction(spec, undefined, true)),
      ...actions.map((spec) => this.scheduleAction(spec, undefined)),
    ];
    for (const root of roots) this.execute(root);
  }

  private execute(own: ExecutedTrace): void {
    const { notified = [], inline = [] } = own.action.spec;
    this.receive(own);
    const notifications = notified.map(({ receiver, inline: sent = [] }) => ({
      trace: this.schedule(own.action, receiver, own, false),
      sent,
    }));
    const created = inline.map((spec) => this.scheduleAction(spec, own));
    for (const { trace, sent } of notifications) {
      this.receive(trace);
      for (const spec of sent) created.push(this.scheduleAction(spec, trace));
    }
    for (const each of created) this.execute(each);
  }

  private scheduleAction(spec: ActionSpec, creator: ExecutedTrace | undefined, contextFree = false): ExecutedTrace {
    return this.schedule({ spec, traces: [] }, spec.account, creator, contextFree);
  }

  private schedule(
    action: ExecutedAction,
    receiver: string,
    creator: ExecutedTrace | undefined,
    contextFree: boolean,
  ): ExecutedTrace {
    const trace: ExecutedTrace = {
      action,
      ordinal: this.traces.length + 1,
      creatorOrdinal: creator?.ordinal ?? 0,
      unnotifiedAncestorOrdinal: creator?.action.traces[0]?.ordinal ?? 0,
      receiver,
      contextFree,
      receipt: {
        receiver,
        actDigest: NOTHING,
        globalSequence: 0,
        recvSequence: 0,
        authSequence: [],
        codeSequence: CODE_SEQUENCE,
        abiSequence: 0,
      },
    };
    this.traces.push(trace);
    action.traces.push(trace);
    return trace;
  }

  private receive({ action: { spec, traces }, receiver, receipt }: ExecutedTrace): void {
    const isOwn = receipt === traces[0]?.receipt;
    if (isOwn) spec.effect?.(this.state);
    receipt.globalSequence = this.state.nextGlobal();
    receipt.recvSequence = this.state.nextReceived(receiver);
    const actors = [...new Set(spec.authorization.map(({ actor }) => actor))].sort();
    receipt.authSequence = actors.map((actor) => [actor, this.state.nextAuthorized(actor)]);
    receipt.abiSequence = this.state.abiSequence(spec.account);
    receipt.actDigest = actDigest(spec, (isOwn && spec.returnValue?.packed) || NOTHING);
  }
}

/** The actions of a transaction's traces, by global sequence. */
export function actionsOf(traces: readonly ExecutedTrace[]): ExecutedAction[] {
  const actions = [...new Set(traces.map(({ action }) => action))];
  return actions.sort((left, right) => ownSequence(left) - ownSequence(right));
}

function ownSequence({ traces: [own] }: ExecutedAction): number {
  return own?.receipt.globalSequence ?? 0;
}
