import { describe, jest } from '@jest/globals';
import { describeBlockNumHints } from './block-num-hint-cases';
import { describeDepth } from './depth-cases';
import { describeDividedChains } from './divided-chain-cases';
import { describeManyWriters } from './many-writers-cases';
import { describeRecordedChain } from './recorded-chain-cases';
import type { StoreContract } from './store-under-test';
import { describeSyntheticChains } from './synthetic-chain-cases';
import { describeWholeness } from './wholeness-cases';
import { timeLimit } from './with-store';
import { describeWriter } from './writer-cases';

/** Only a hang takes longer: the largest recording takes half a minute beside other work. */
const DEFAULT_LIMIT_MS = 180_000;

/** The contract of the store port as tests of an adapter. Call it at the top of a test file; it needs Jest. */
export function runStoreContract(contract: StoreContract): void {
  jest.setTimeout(timeLimit(contract, DEFAULT_LIMIT_MS));
  describe(`the store contract: ${contract.name}`, () => {
    describeWriter(contract);
    describeSyntheticChains(contract);
    describeWholeness(contract);
    if (contract.writers === 'many') describeManyWriters(contract);
    describeBlockNumHints(contract);
    describeDepth(contract);
    describeDividedChains(contract);
    for (const chain of contract.recordings) describeRecordedChain(contract, chain);
  });
}
