import { describe } from '@jest/globals';
import { describeDepth } from './depth-cases';
import { describeRecordedChain } from './recorded-chain-cases';
import type { StoreContract } from './store-under-test';
import { describeSyntheticChains } from './synthetic-chain-cases';
import { describeWholeness } from './wholeness-cases';
import { describeWriter } from './writer-cases';

/** What the store port promises, as tests of an adapter. Call it at the top of a test file; it needs Jest. */
export function runStoreContract(contract: StoreContract): void {
  describe(`the store contract: ${contract.name}`, () => {
    describeWriter(contract);
    describeSyntheticChains(contract);
    describeWholeness(contract);
    describeDepth(contract);
    for (const chain of contract.recordings) describeRecordedChain(contract, chain);
  });
}
