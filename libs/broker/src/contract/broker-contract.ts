import { describe } from '@jest/globals';
import type { BrokerContract } from './broker-under-test';
import { describeBounds } from './bounds-cases';
import { describeDeadLetters } from './dead-letter-cases';
import { describeDelivery } from './delivery-cases';
import { describeEnds } from './end-cases';
import { describeLargeMessages } from './large-message-cases';

/** What the broker port promises, as tests of an adapter. Call it at the top of a test file; it needs Jest. */
export function runBrokerContract(contract: BrokerContract): void {
  describe(`the broker contract: ${contract.name}`, () => {
    describeDelivery(contract);
    describeBounds(contract);
    describeLargeMessages(contract);
    describeDeadLetters(contract);
    describeEnds(contract);
  });
}
