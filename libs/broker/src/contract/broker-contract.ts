import { describe } from '@jest/globals';
import type { BrokerContract } from './broker-under-test';
import { describeBounds } from './bounds-cases';
import { describeDeadLetters } from './dead-letter-cases';
import { describeDelivery } from './delivery-cases';
import { describeEnds } from './end-cases';
import { describeLargeMessages } from './large-message-cases';

/** Tests that an adapter keeps the promises of the broker port. Call it at the top level of a Jest test file. */
export function runBrokerContract(contract: BrokerContract): void {
  describe(`the broker contract: ${contract.name}`, () => {
    describeDelivery(contract);
    describeBounds(contract);
    describeLargeMessages(contract);
    describeDeadLetters(contract);
    describeEnds(contract);
  });
}
