import { z } from 'zod';
import { name } from '../chain-types';
import { text } from '../fields';

export const getKeyAccountsRequest = z
  .object({
    public_key: text('a public key').describe('EOS…, PUB_K1_…, PUB_R1_… or PUB_WA_…'),
  })
  .meta({ id: 'GetKeyAccountsRequest' });
export type GetKeyAccountsRequest = z.output<typeof getKeyAccountsRequest>;

export const getKeyAccountsResponse = z
  .object({ account_names: z.array(name).describe('Sorted, each once, complete.') })
  .meta({ id: 'GetKeyAccountsResponse' });
export type GetKeyAccountsResponse = z.output<typeof getKeyAccountsResponse>;
