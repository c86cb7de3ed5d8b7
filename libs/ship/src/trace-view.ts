/**
 * Views of transaction traces. Fields named `…At` and `…End` are offsets into the packed traces: a stage copies only the
 * bytes that it keeps, and no other objects are created, because the reader handles half a million traces per second.
 * Views are reused for the next transaction.
 */
export class ActionTraceView {
  ordinal = 0;
  creatorOrdinal = 0;
  hasReceipt = false;
  actDigestAt = 0;
  globalSequence = 0;
  recvSequenceAt = 0;
  /** A packed `account_auth_sequence[]`. */
  authSequenceAt = 0;
  authSequenceEnd = 0;
  codeSequence = 0;
  abiSequence = 0;
  receiverAt = 0;
  accountAt = 0;
  nameAt = 0;
  /** A packed `permission_level[]`. */
  authorizationAt = 0;
  authorizationEnd = 0;
  dataAt = 0;
  dataEnd = 0;
  contextFree = false;
  elapsedAt = 0;
  consoleAt = 0;
  consoleEnd = 0;
  /** A packed `account_delta[]`. */
  ramDeltasAt = 0;
  ramDeltasEnd = 0;
  /** -1 = absent. */
  exceptAt = -1;
  exceptEnd = -1;
  errorCodeAt = -1;
  returnValueAt = 0;
  returnValueEnd = 0;

  reset(): void {
    this.hasReceipt = false;
    this.exceptAt = -1;
    this.errorCodeAt = -1;
    this.returnValueAt = 0;
    this.returnValueEnd = 0;
  }
}

export class PartialTransactionView {
  expiration = 0;
  refBlockNum = 0;
  refBlockPrefix = 0;
  maxNetUsageWords = 0;
  maxCpuUsageMs = 0;
  delaySec = 0;
  signatures: Buffer[] = [];
}

/** Views kept for the next transaction. A hostile transaction with two million traces must not occupy memory for ever. */
const MAX_KEPT_VIEWS = 4_096;

export class TransactionTraceView {
  idAt = 0;
  status = 0;
  cpuUsageUs = 0;
  netUsageWords = 0;
  scheduled = false;
  actionCount = 0;
  /** The first `actionCount` elements belong to this transaction, in the order of their ordinals. */
  readonly actions: ActionTraceView[] = [];
  partial: PartialTransactionView | undefined = undefined;
  /** The failed deferred transaction that this transaction (`onerror`) handles. */
  failed: TransactionTraceView | undefined = undefined;

  reset(): void {
    this.actionCount = 0;
    this.partial = undefined;
    this.failed = undefined;
    if (this.actions.length > MAX_KEPT_VIEWS) this.actions.length = MAX_KEPT_VIEWS;
  }

  nextAction(): ActionTraceView {
    const action = (this.actions[this.actionCount] ??= new ActionTraceView());
    this.actionCount++;
    action.reset();
    return action;
  }
}
