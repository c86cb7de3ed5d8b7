import { z } from 'zod';
import { text } from '../fields';

export const getControlledAccountsRequest = z.object({
  controlling_account: text('an account name').meta({ minLength: 1, maxLength: 12 }),
});
export type GetControlledAccountsRequest = z.output<typeof getControlledAccountsRequest>;

/** Sorted, each once, complete. */
export const getControlledAccountsAnswer = z.object({ controlled_accounts: z.array(z.string()) });
export type GetControlledAccountsAnswer = z.output<typeof getControlledAccountsAnswer>;
