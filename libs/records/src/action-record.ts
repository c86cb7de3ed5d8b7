/** The readable form of an action record: one action with the traces of all that received it. */
export interface ActionRecord {
  account: string;
  name: string;
  authorization: PermissionLevel[];
  data: Buffer;
  contextFree: boolean;
  /** The contract's own trace first, then one per notified account in ordinal order. */
  traces: ActionTrace[];
}

export interface PermissionLevel {
  actor: string;
  permission: string;
}

/** What is of one receiver's own in an action. */
export interface ActionTrace {
  ordinal: number;
  creatorOrdinal: number;
  closestUnnotifiedAncestorOrdinal: number;
  receiver: string;
  receipt: ActionReceipt;
  /** Microseconds; 0 on most nodes. */
  elapsed: bigint;
  /** Raw bytes: a contract prints what it likes, UTF-8 or not. */
  console: Buffer;
  accountRamDeltas: { account: string; delta: bigint }[];
  except: string | undefined;
  errorCode: bigint | undefined;
  returnValue: Buffer;
}

export interface ActionReceipt {
  /** 64 lowercase hex digits. */
  actDigest: string;
  globalSequence: number;
  recvSequence: bigint;
  authSequence: { account: string; sequence: bigint }[];
  codeSequence: number;
  abiSequence: number;
}
