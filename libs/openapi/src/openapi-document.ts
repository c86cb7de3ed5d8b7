import { ROUTES } from '@antelope-history/schemas';
import { describeEndpoint } from './endpoint-description';
import { createComponents } from './components';
import type { OpenApiDocument } from './openapi-types';
import { describeOperations } from './operations-description';

const TAGS = [
  { name: 'history', description: 'Actions, transactions, and the accounts of keys and accounts.' },
  { name: 'chain', description: 'Blocks in the JSON of a chain node.' },
  { name: 'trace', description: "Blocks with their traces, in the JSON of a node's trace plugin." },
  { name: 'service', description: 'How the service is.' },
];

const DESCRIPTION =
  'History of an Antelope chain. Answers speak of committed blocks only, never of orphaned ones. A body is read as ' +
  'JSON whatever its content type says; an empty one is `{}`; integers may be numbers or decimal strings; unknown ' +
  'fields are ignored; `null` is as good as absent. Every error has the same shape, with the HTTP status in `code`. ' +
  'Send `x-request-id` to find a request again: the answer has it too.';

/** Describes the gateway's HTTP interface: the routes with their schemas, and the gateway's own paths. */
export function createOpenApiDocument({ version }: { version: string }): OpenApiDocument {
  const endpoints = Object.entries(ROUTES).map(([key, route]) => [
    route.path,
    { post: describeEndpoint(key as keyof typeof ROUTES) },
  ]);
  return {
    openapi: '3.1.1',
    info: { title: 'Antelope History', version, description: DESCRIPTION, license: { name: 'MIT', identifier: 'MIT' } },
    // Relative to this document, so that it holds under any base address.
    servers: [{ url: './' }],
    tags: TAGS,
    paths: { ...(Object.fromEntries(endpoints) as OpenApiDocument['paths']), ...describeOperations() },
    components: createComponents(),
  };
}
