import type { ActionRecord } from '@antelope-history/records';
import type { AbiRequest } from '@antelope-history/store';
import { ownTrace } from './action-records';

/** Collects the positions at which a response needs ABIs, with one request per ABI version where receipts tell versions apart. */
export class AbiRequestSet {
  private readonly requests = new Map<string, AbiRequest>();

  /** The collected requests. */
  list(): AbiRequest[] {
    return [...this.requests.values()];
  }

  /** Adds an action without a receipt, by its position alone. */
  addPosition(request: AbiRequest): void {
    this.requests.set(`${request.account}@${request.sequence}`, request);
  }

  /**
   * Adds an action by its receipt, which counts the ABIs that its contract has had: actions with the same count share one
   * request, that of the earliest.
   */
  addAction(action: ActionRecord, blockNum: number): void {
    const { globalSequence, abiSequence } = ownTrace(action).receipt;
    const request = { account: action.account, blockNum, sequence: globalSequence };
    // nodeos creates the receipt after the action (apply_context.cpp), so that of a setabi already counts the new ABI.
    if (isSetabi(action)) return this.addPosition(request);
    const key = `${action.account}#${abiSequence}`;
    const known = this.requests.get(key);
    if (!known || globalSequence < known.sequence) this.requests.set(key, request);
  }
}

function isSetabi(action: ActionRecord): boolean {
  return action.name === 'setabi' && action.account === 'eosio';
}
