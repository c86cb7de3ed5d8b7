import type { ActionRecord } from '@antelope-history/records';
import type { AbiRequest } from '@antelope-history/store';
import { ownTrace } from './action-records';

/** Collects the places at which an answer needs ABIs, each ABI version once where that can be told. */
export class AbiRequestSet {
  private readonly requests = new Map<string, AbiRequest>();

  /** The requests so far. */
  list(): AbiRequest[] {
    return [...this.requests.values()];
  }

  /** An action of which the place is all that is known. */
  addPlace(request: AbiRequest): void {
    this.requests.set(`${request.account}@${request.sequence}`, request);
  }

  /**
   * An action with its receipt, which counts the ABIs that its contract has had: actions of one count share a request,
   * that of the earliest of them.
   */
  addAction(action: ActionRecord, blockNum: number): void {
    const { globalSequence, abiSequence } = ownTrace(action).receipt;
    const request = { account: action.account, blockNum, sequence: globalSequence };
    // A receipt is made after its action ran (nodeos apply_context.cpp): eosio's own new ABI is counted already.
    if (isSetabi(action)) return this.addPlace(request);
    const key = `${action.account}#${abiSequence}`;
    const known = this.requests.get(key);
    if (!known || globalSequence < known.sequence) this.requests.set(key, request);
  }
}

function isSetabi(action: ActionRecord): boolean {
  return action.name === 'setabi' && action.account === 'eosio';
}
