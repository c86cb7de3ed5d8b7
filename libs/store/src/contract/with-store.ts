import type { StoreContract, StoreUnderTest } from './store-under-test';

/** Runs `body` on a new, empty store and disposes of it, whatever comes. */
export async function withStore(
  contract: StoreContract,
  body: (under: StoreUnderTest) => Promise<void>,
): Promise<void> {
  const under = await contract.open();
  try {
    await body(under);
  } finally {
    await under.dispose();
  }
}
