import { z } from 'zod';
import { name } from '../chain-types';
import { text } from '../fields';

export const getControlledAccountsRequest = z
  .object({
    controlling_account: text('an account name').meta({ minLength: 1, maxLength: 12 }),
  })
  .meta({ id: 'GetControlledAccountsRequest' });
export type GetControlledAccountsRequest = z.output<typeof getControlledAccountsRequest>;

export const getControlledAccountsResponse = z
  .object({ controlled_accounts: z.array(name).describe('Sorted, each once, complete.') })
  .meta({ id: 'GetControlledAccountsResponse' });
export type GetControlledAccountsResponse = z.output<typeof getControlledAccountsResponse>;
