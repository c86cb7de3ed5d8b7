import { z } from 'zod';
import { CLIENT_ERRORS, type ClientErrorCode, type Route, type RouteTable } from '@antelope-history/schemas';
import { SHARED_ERRORS } from './endpoint-description';
import { toJsonSchema } from './json-schema';

const GATEWAY = 'http://127.0.0.1:8888';

const INTRODUCTION = `# HTTP API

The endpoints of the service, for developers of wallets and other clients. A running gateway serves the same description
with all response fields as \`/openapi.json\` and as a page at \`/docs\`. The examples show responses of the sample chain
that \`npm start\` indexes.

- Every endpoint takes a \`POST\` with a JSON object. The content type is ignored, and an empty body means \`{}\`.
- An integer may be a JSON number or a decimal string. \`null\` means the same as an absent field.
- A field that an endpoint does not have is refused if it would change what is meant: a misspelled name, a name with a dot,
  and the fields listed at each endpoint. Other such fields are ignored, as nodes ignore them. An operator can choose
  otherwise with \`api.unknown_fields\`.
- 64-bit integers in responses are numbers up to 4294967295 and decimal strings above, as in nodeos.
- Responses show committed blocks only, never orphaned ones.
- A final response (an irreversible block or transaction) has \`etag\` and \`cache-control\` and may be cached for ever.
- A response takes at most 32 MiB; [compatibility.md](compatibility.md) describes what is left out beyond that.
- All errors have one shape, see [errors.md](errors.md). \`error.details\` says what to change in the request.

This page is generated from \`libs/*-routes\` with \`npm run docs\`.
`;

/** The text of `docs/api.md`: each route with its request fields, its errors, and an example. */
export function renderApiDocs(routes: RouteTable): string {
  const list = Object.values(routes);
  const contents = list.map(({ path, summary }) => `- [\`${path}\`](#${anchorOf(path)}): ${summary}\n`);
  return [INTRODUCTION, contents.join(''), ...list.map(renderRoute), renderSharedErrors()].join('\n');
}

/** The anchor that GitHub gives a heading with the path as code. */
function anchorOf(path: string): string {
  return path.replaceAll('/', '');
}

function renderRoute(route: Route): string {
  const { path, summary, description, cacheable, errors, example } = route;
  const caching = cacheable ? 'A response about an irreversible block is final.\n\n' : '';
  return `## \`${path}\`

**${summary}.** ${description}

${caching}${renderMethods(route)}${renderFields(route)}${renderRefusedFields(route)}
Request:

\`\`\`sh
curl -s ${GATEWAY}${path} -d '${JSON.stringify(example.request)}'
\`\`\`

Response:

\`\`\`json
${formatJson(example.response)}
\`\`\`

Errors, besides those of every endpoint:

${renderErrors(errors)}`;
}

const LINE_LENGTH = 100;

/** JSON with each object and list on one line if it fits there. */
function formatJson(value: unknown, indent = ''): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  const inner = `${indent}  `;
  const members = Object.entries(value).map(([name, member]) => {
    const label = Array.isArray(value) ? '' : `${JSON.stringify(name)}: `;
    return label + formatJson(member, inner);
  });
  const space = open === '{' && members.length > 0 ? ' ' : '';
  const line = open + space + members.join(', ') + space + close;
  if (indent.length + line.length <= LINE_LENGTH && !line.includes('\n')) return line;
  return `${open}\n${members.map((member) => inner + member).join(',\n')}\n${indent}${close}`;
}

function renderMethods({ method }: Route): string {
  return [method].flat().includes('GET') ? 'Takes GET as well as POST.\n\n' : '';
}

/** The part of a field's JSON Schema that tells what a client may send. */
interface FieldSchema {
  type?: string | string[];
  enum?: (string | number)[];
  pattern?: string;
  anyOf?: FieldSchema[];
  default?: unknown;
  description?: string;
}

function renderFields({ request }: Route): string {
  const { properties = {}, required = [] } = toJsonSchema(z.object(request.shape), 'input');
  if (Object.keys(properties).length === 0) return 'It has no request fields.\n';
  const rows = Object.entries(properties as Record<string, FieldSchema>).map(([name, schema]) => {
    const initial = schema.default === undefined ? 'none' : `\`${JSON.stringify(schema.default)}\``;
    const presence = required.includes(name) ? 'required' : initial;
    return `| \`${name}\` | ${typesOf(schema).join(' or ')} | ${presence} | ${schema.description ?? ''} |\n`;
  });
  return `| field | type | default | meaning |\n| --- | --- | --- | --- |\n${rows.join('')}`;
}

function renderRefusedFields({ refusedFields = {} }: Route): string {
  if (Object.keys(refusedFields).length === 0) return '';
  const rows = Object.entries(refusedFields).map(([name, what]) => `| \`${name}\` | ${what} |\n`);
  return `\nRefused, because they would change what is meant:\n\n| field | what to do |\n| --- | --- |\n${rows.join('')}`;
}

/** Names of the types that a field accepts besides null. */
function typesOf({ anyOf, enum: values, type = [], pattern }: FieldSchema): string[] {
  if (anyOf) return [...new Set(anyOf.flatMap(typesOf))];
  if (values) return [...values].sort(byDigits).map((value) => `\`${JSON.stringify(value)}\``);
  const names = [type].flat().filter((name) => name !== 'null');
  return names.map((name) => (name === 'string' && pattern !== undefined ? 'decimal string' : name));
}

/** Words before numbers: JavaScript moves integer-like keys of an enum to its front. */
function byDigits(left: string | number, right: string | number): number {
  return Number(/\d/.test(String(left))) - Number(/\d/.test(String(right)));
}

function renderErrors(codes: readonly ClientErrorCode[]): string {
  const rows = codes.map((code) => {
    const { status, nodeCode, nodeName, what } = CLIENT_ERRORS[code];
    return `| ${status} | ${nodeCode} | \`${nodeName}\` | ${what} |\n`;
  });
  return `| HTTP status | \`error.code\` | \`error.name\` | \`error.what\` |\n| --- | --- | --- | --- |\n${rows.join('')}`;
}

function renderSharedErrors(): string {
  return `## Errors of every endpoint

${renderErrors(SHARED_ERRORS)}
A response with status 429 or 503 has \`retry-after\`: the seconds to wait before the next attempt.
`;
}
