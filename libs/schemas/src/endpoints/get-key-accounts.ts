import { z } from 'zod';
import { text } from '../fields';

export const getKeyAccountsRequest = z.object({
  public_key: text('a public key').describe('EOS…, PUB_K1_…, PUB_R1_… or PUB_WA_…'),
});
export type GetKeyAccountsRequest = z.output<typeof getKeyAccountsRequest>;

/** Sorted, each once, complete. */
export const getKeyAccountsAnswer = z.object({ account_names: z.array(z.string()) });
export type GetKeyAccountsAnswer = z.output<typeof getKeyAccountsAnswer>;
