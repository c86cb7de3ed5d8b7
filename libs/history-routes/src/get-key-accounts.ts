import { z } from 'zod';
import { defineRoute, name, text } from '@antelope-history/schemas';
import example from './get-key-accounts.example.json';

const request = z
  .object({
    public_key: text('a public key').describe('The key as EOS…, PUB_K1_…, PUB_R1_… or PUB_WA_…'),
  })
  .meta({ id: 'GetKeyAccountsRequest' });
const response = z
  .object({ account_names: z.array(name).describe('All accounts, sorted, without duplicates.') })
  .meta({ id: 'GetKeyAccountsResponse' });

export const getKeyAccounts = defineRoute({
  group: 'history',
  endpoint: 'get_key_accounts',
  method: 'POST',
  path: '/v1/history/get_key_accounts',
  request,
  refusedFields: {
    key: 'write public_key',
    limit: 'remove it: the list is complete',
    skip: 'remove it: the list is complete',
    details: 'remove it: there is one form of response',
  },
  response,
  errors: ['INVALID_REQUEST', 'INVALID_PUBLIC_KEY', 'TOO_MANY_ACCOUNTS', 'STATE_INCOMPLETE'],
  cacheable: false,
  summary: 'Accounts of a public key',
  description:
    'The accounts with a current permission that has the key. EOS… and PUB_K1_… are two spellings of one key.',
  example,
});
export type GetKeyAccountsRequest = z.output<typeof request>;
export type GetKeyAccountsResponse = z.output<typeof response>;
