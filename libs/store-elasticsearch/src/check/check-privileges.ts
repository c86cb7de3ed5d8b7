import { ok, wrong, type Finding } from '@antelope-history/connectivity/check';
import type { estypes } from '@elastic/elasticsearch';
import { httpStatusOf } from '../client/store-errors';
import type { Access, CheckContext } from './check-requests';

/** The privileges that a user needs on the cluster and on the indices of the prefix. */
const NEEDED: Record<Access, { cluster: estypes.SecurityClusterPrivilege[]; index: estypes.SecurityIndexPrivilege[] }> =
  {
    read: { cluster: [], index: ['read'] },
    write: { cluster: ['monitor', 'manage_index_templates'], index: ['read', 'write', 'manage'] },
  };

/** Checks that the user has the privileges. */
export async function checkPrivileges({ client, signal, options, access }: CheckContext): Promise<Finding> {
  const pattern = `${options.indexPrefix}-*`;
  const { cluster, index } = NEEDED[access];
  const needed = { cluster, index: [{ names: pattern, privileges: index }] };
  let has: estypes.SecurityHasPrivilegesResponse;
  try {
    has = await client.security.hasPrivileges(needed, { signal });
  } catch (error) {
    // A server without security does not know this request and restricts no user.
    if (isUnknownRequest(httpStatusOf(error))) return ok('elasticsearch.no_security', 'it does not authenticate users');
    throw error;
  }
  const lacking = [
    ...cluster.filter((privilege) => !has.cluster[privilege]).map((privilege) => `${privilege} on the cluster`),
    ...index.filter((privilege) => !has.index[pattern]?.[privilege]).map((privilege) => `${privilege} on ${pattern}`),
  ];
  if (lacking.length === 0) return ok('elasticsearch.privileges', `the user may ${access} the indices ${pattern}`);
  return wrong(
    'elasticsearch.no_privilege',
    `the user ${has.username} lacks ${lacking.join(', ')}`,
    'add them to a role of the user',
  );
}

function isUnknownRequest(status: number | undefined): boolean {
  return status === 400 || status === 404 || status === 405 || status === 500;
}
