import { type Client, errors } from '@elastic/elasticsearch';
import { addressOf, ConnectionError, describeTrouble } from '@antelope-history/connections';
import { type Finding, ok, toFinding, warning, wrong } from '@antelope-history/connections/check';
import { createClient } from '../client/client';
import type { ElasticsearchOptions } from '../client/elasticsearch-options';
import { nameServer, toStoreError } from '../client/store-errors';

export type Access = 'read' | 'write';

/** What a check asks with. */
export interface CheckContext {
  client: Client;
  signal: AbortSignal;
  options: ElasticsearchOptions;
  access: Access;
}

const OLDEST_VERSION = 8;
const NEWEST_VERSION = 9;
const UNAUTHENTICATED = 401;
const FORBIDDEN = 403;

/** With a client of its own, as each check may be given up at another time. Rejects with an error of ours. */
export async function withClient<T>(options: ElasticsearchOptions, use: (client: Client) => Promise<T>): Promise<T> {
  const client = createClient(options);
  try {
    return await use(client);
  } catch (error) {
    throw toStoreError(error);
  } finally {
    await client.close();
  }
}

/** What was asked for, or `otherwise` when the user may not ask for it. */
export async function forbiddenAs<T, U>(otherwise: U, request: Promise<T>): Promise<T | U> {
  try {
    return await request;
  } catch (error) {
    if (statusOf(error) === FORBIDDEN) return otherwise;
    throw error;
  }
}

export function statusOf(error: unknown): number | undefined {
  return error instanceof errors.ResponseError ? error.statusCode : undefined;
}

/** Whether a node answers this user, and in which version. */
export async function checkNode({ client, signal }: CheckContext, url: string): Promise<Finding> {
  try {
    const asked = client.nodes.info({ node_id: '_local', filter_path: 'nodes.*.version' }, { signal, maxRetries: 0 });
    const [node] = Object.values((await forbiddenAs(undefined, asked))?.nodes ?? {});
    return describeVersion(node?.version, addressOf(url));
  } catch (error) {
    const kind = signal.aborted ? 'no_answer' : kindOfAnswer(error);
    const reason = kind && new ConnectionError(describeTrouble(kind, nameServer(addressOf(url))), 'STORE_UNAVAILABLE');
    return toFinding(reason ?? toStoreError(error), 'elasticsearch');
  }
}

/** Of what answers, but not as it should; undefined when nothing did. */
function kindOfAnswer(error: unknown): 'wrong_password' | 'other_server' | undefined {
  const status = statusOf(error);
  if (status === UNAUTHENTICATED) return 'wrong_password';
  const isOther = error instanceof errors.ProductNotSupportedError || status !== undefined;
  return isOther ? 'other_server' : undefined;
}

function describeVersion(version: string | undefined, address: string): Finding {
  if (version === undefined)
    return ok('elasticsearch.answers', `it answers at ${address}; its version it does not tell this user`);
  const major = Number(version.split('.')[0]);
  const needed = `use Elasticsearch ${OLDEST_VERSION} or ${NEWEST_VERSION}`;
  if (major < OLDEST_VERSION) return wrong('elasticsearch.version_old', `it is version ${version}`, needed);
  if (major > NEWEST_VERSION)
    return warning('elasticsearch.version_new', `it is version ${version}, which was not tried`, needed);
  return ok('elasticsearch.answers', `version ${version} answers at ${address}`);
}
