import type {
  ShipAccount,
  ShipAccountMetadata,
  ShipActionTrace,
  ShipPermission,
  ShipSignedBlock,
  ShipTransactionTrace,
} from './ship-types';

export interface RecordedBlock {
  num: number;
  id: string;
  /** Undefined in the first message of a node that was started from a snapshot. */
  block: ShipSignedBlock | undefined;
  /** The trace of `onblock` when it succeeded, then one trace per receipt. */
  traces: ShipTransactionTrace[];
  accounts: ShipAccount[];
  accountMetadata: ShipAccountMetadata[];
  permissions: { present: boolean; row: ShipPermission }[];
}

export function fromHex(hex: string): Buffer {
  return Buffer.from(hex, 'hex');
}

/** A transaction's traces in the order of their ordinals, without their variant tags. */
export function actionTraces(trace: ShipTransactionTrace): ShipActionTrace[] {
  return trace.action_traces.map(([, action]) => action);
}

/** The executed transactions of a block. The effects of all other traces were rolled back. */
export function executedTraces({ traces }: Pick<RecordedBlock, 'traces'>): ShipTransactionTrace[] {
  return traces.filter(({ status, action_traces }) => status === EXECUTED && action_traces.length > 0);
}

const EXECUTED = 0;

/** An action's global sequence; every action of an executed transaction has a receipt. */
export function sequenceOf({ receipt }: ShipActionTrace): number {
  if (!receipt) throw new Error('an executed action has no receipt');
  return receipt[1].global_sequence;
}
