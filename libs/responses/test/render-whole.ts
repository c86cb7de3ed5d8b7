import * as answers from '@antelope-history/responses';
import type { AbiDecoders } from '@antelope-history/responses';
import type { ChainStatus, StoredBlock, StoredTransaction } from '@antelope-history/records';

/** Takes everything and prints nothing, so that a response stays an object that tests can look into. */
class NoBudget extends answers.ResponseBudget {
  override hasRoom = (): boolean => true;
  override share = <T>(value: T): T => value;
  override takePart = <T>(value: T): T => value;
  override takeAnyway = <T>(value: T): T => value;
}

/** Runs a rendering to its end. */
export function complete<T>(steps: Generator<void, T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

export function renderActions(page: answers.StoredActionsPage, account: string | undefined, decoders: AbiDecoders) {
  return complete(answers.renderActions(page, account, decoders, new NoBudget()));
}

export function renderTransaction(transaction: StoredTransaction, status: ChainStatus, decoders: AbiDecoders) {
  return complete(answers.renderTransaction(transaction, status, decoders, new NoBudget()));
}

export function renderBlock(block: StoredBlock, decoders: AbiDecoders) {
  return complete(answers.renderBlock(block, decoders, new NoBudget()));
}

export function renderBlockTraces(traces: answers.StoredBlockTraces, decoders: AbiDecoders) {
  return complete(answers.renderBlockTraces(traces, decoders, new NoBudget()));
}

export function abisOfBlock(block: StoredBlock) {
  return complete(answers.abisOfBlock(block));
}
