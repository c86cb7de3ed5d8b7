import { z } from 'zod';
import { defineRoute, name, text } from '@antelope-history/schemas';
import example from './get-controlled-accounts.example.json';

const request = z
  .object({
    controlling_account: text('an account name')
      .describe('The account whose controlled accounts are listed.')
      .meta({ minLength: 1, maxLength: 12 }),
  })
  .meta({ id: 'GetControlledAccountsRequest' });
const response = z
  .object({ controlled_accounts: z.array(name).describe('All accounts, sorted, without duplicates.') })
  .meta({ id: 'GetControlledAccountsResponse' });

export const getControlledAccounts = defineRoute({
  group: 'history',
  endpoint: 'get_controlled_accounts',
  method: 'POST',
  path: '/v1/history/get_controlled_accounts',
  request,
  refusedFields: {
    account: 'write controlling_account',
    account_name: 'write controlling_account',
    limit: 'remove it: the list is complete',
    skip: 'remove it: the list is complete',
  },
  response,
  errors: ['INVALID_REQUEST', 'INVALID_NAME', 'TOO_MANY_ACCOUNTS', 'STATE_INCOMPLETE'],
  cacheable: false,
  summary: 'Accounts that an account controls',
  description: 'The accounts with a current permission that names the account, `eosio.code` included.',
  example,
});
export type GetControlledAccountsRequest = z.output<typeof request>;
export type GetControlledAccountsResponse = z.output<typeof response>;
