import { type Client, errors } from '@elastic/elasticsearch';
import { addressOf, ConnectionError, describeTrouble } from '@antelope-history/connectivity';
import { type Finding, ok, toFinding, warning, wrong } from '@antelope-history/connectivity/check';
import type { ElasticsearchOptions } from '../client/elasticsearch-options';
import { httpStatusOf, nameServer, toStoreError } from '../client/store-errors';

export type Access = 'read' | 'write';

/** The context of a check. */
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

/** The result of a request, or `otherwise` when the user may not send it. */
export async function forbiddenAs<T, U>(otherwise: U, request: Promise<T>): Promise<T | U> {
  try {
    return await request;
  } catch (error) {
    if (httpStatusOf(error) === FORBIDDEN) return otherwise;
    throw error;
  }
}

/** Checks that a node accepts this user, and its version. */
export async function checkNode({ client, signal }: CheckContext, url: string): Promise<Finding> {
  try {
    const request = client.nodes.info({ node_id: '_local', filter_path: 'nodes.*.version' }, { signal, maxRetries: 0 });
    const [node] = Object.values((await forbiddenAs(undefined, request))?.nodes ?? {});
    return describeVersion(node?.version, addressOf(url));
  } catch (error) {
    const kind = signal.aborted ? 'no_answer' : troubleOf(error);
    const reason = kind && new ConnectionError(describeTrouble(kind, nameServer(addressOf(url))), 'STORE_UNAVAILABLE');
    return toFinding(reason ?? toStoreError(error), 'elasticsearch');
  }
}

/** The trouble of a server that responds unexpectedly; undefined when no server responded. */
function troubleOf(error: unknown): 'wrong_password' | 'other_server' | undefined {
  const status = httpStatusOf(error);
  if (status === UNAUTHENTICATED) return 'wrong_password';
  const isOther = error instanceof errors.ProductNotSupportedError || status !== undefined;
  return isOther ? 'other_server' : undefined;
}

function describeVersion(version: string | undefined, address: string): Finding {
  if (version === undefined)
    return ok('elasticsearch.answers', `it responds at ${address}; this user may not read its version`);
  const major = Number(version.split('.')[0]);
  const needed = `use Elasticsearch ${OLDEST_VERSION} or ${NEWEST_VERSION}`;
  if (major < OLDEST_VERSION) return wrong('elasticsearch.version_old', `it is version ${version}`, needed);
  if (major > NEWEST_VERSION)
    return warning('elasticsearch.version_new', `it is version ${version}, which is not tested`, needed);
  return ok('elasticsearch.answers', `version ${version} responds at ${address}`);
}
