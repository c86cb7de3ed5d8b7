import type { Route, RouteTable } from '@antelope-history/schemas';
import { createComponents } from './components';
import { describeEndpoint } from './endpoint-description';
import type { OpenApiDocument, Operation } from './openapi-types';
import { describeOperations } from './operations-description';
import { describeStream, type StreamDefinition } from './stream-description';

const TAGS = [
  { name: 'history', description: 'Actions, transactions, and the accounts of keys and accounts.' },
  { name: 'chain', description: 'State of the chain and its blocks, in the JSON of a chain node.' },
  { name: 'trace', description: "Blocks with their traces, in the JSON of a node's trace plugin." },
  { name: 'service', description: 'State of the service.' },
];

const DESCRIPTION =
  'History of an Antelope chain. Responses show committed blocks only, never orphaned ones. A request body is parsed as ' +
  'JSON whatever its content type says, and an empty body as `{}`. Integers may be numbers or decimal strings, and `null` ' +
  'means the same as an absent field. Unknown fields that would change what is meant are refused, others are ignored. All errors have one shape, with the HTTP status in ' +
  '`code`. A request that sends `x-request-id` gets it back in the response and can be found in the logs by it.';

export interface DocumentOptions {
  /** Version of the service. */
  version: string;
  /** The endpoints to describe, in the order of the document. */
  routes: RouteTable;
  streams?: readonly StreamDefinition[];
}

/** An operation per method. The one for GET, which takes no fields, has an id of its own, as OpenAPI demands. */
function describeRoute(key: string, route: Route): Record<string, Operation> {
  const post = describeEndpoint(key, route);
  if (![route.method].flat().includes('GET')) return { post };
  const { requestBody: _requestBody, ...get } = post;
  return { get: { ...get, operationId: `${key}ByGet` }, post };
}

/** Creates the OpenAPI 3.1 document of the gateway: the given routes with their schemas, the streams, and the gateway's own paths. */
export function createOpenApiDocument({ version, routes, streams = [] }: DocumentOptions): OpenApiDocument {
  const endpoints = Object.entries(routes).map(([key, route]) => [route.path, describeRoute(key, route)]);
  const described = streams.map((stream) => [stream.path, { get: describeStream(stream) }]);
  return {
    openapi: '3.1.1',
    info: { title: 'Antelope History', version, description: DESCRIPTION, license: { name: 'MIT', identifier: 'MIT' } },
    // Relative to the document's own URL, so that it holds behind any base address.
    servers: [{ url: './' }],
    tags: TAGS,
    paths: {
      ...(Object.fromEntries([...endpoints, ...described]) as OpenApiDocument['paths']),
      ...describeOperations(),
    },
    components: createComponents(Object.values(routes)),
  };
}
