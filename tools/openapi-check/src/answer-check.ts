import Ajv2020, { type ErrorObject, type ValidateFunction } from 'ajv/dist/2020';
import { type ResponseDescription, createOpenApiDocument, type OpenApiDocument } from '@antelope-history/openapi';
import type { RouteTable } from '@antelope-history/schemas';

/** An answer as it came over HTTP. */
export interface HttpAnswer {
  /** Of the request. */
  method: string;
  path: string;
  status: number;
  contentType: string | undefined;
  body: string;
}

/** What is wrong with an answer by the OpenAPI document; empty when nothing is. */
export type AnswerCheck = (answer: HttpAnswer) => string[];

const DOCUMENT = 'openapi.json';

/** Creates the check of the given routes. It compiles each schema at its first use and can check any number of answers. */
export function createAnswerCheck(routes: RouteTable): AnswerCheck {
  const document = createOpenApiDocument({ version: '', routes });
  const [{ path: anyEndpoint } = { path: '' }] = Object.values(routes);
  const ajv = new Ajv2020({ strict: false });
  ajv.addSchema(document, DOCUMENT, undefined, false);
  const validators = new Map<string, ValidateFunction>();

  function validatorAt(pointer: string): ValidateFunction {
    const known = validators.get(pointer);
    if (known) return known;
    const validate = ajv.compile({ $ref: `${DOCUMENT}#${pointer}` });
    validators.set(pointer, validate);
    return validate;
  }

  return ({ method, path, status, contentType, body }) => {
    const { description, pointer } = findDescription(document, anyEndpoint, method, path, status);
    const mediaType = (contentType ?? '').replace(/;.*$/, '');
    if (description.content[mediaType] === undefined) return [`the content type is ${mediaType}`];
    if (mediaType !== JSON_TYPE) return [];
    const value = parseJson(body);
    if (value === undefined) return ['the body is not JSON'];
    const validate = validatorAt(`${pointer}${pointerTo('content', JSON_TYPE, 'schema')}`);
    const violations = validate(value) ? [] : (validate.errors ?? []).map(describeViolation);
    return pointer.endsWith(OTHER_ERRORS) ? [...violations, ...checkOtherError(status, value)] : violations;
  };
}

const JSON_TYPE = 'application/json';
const OTHER_ERRORS = '/default';

/**
 * The description of an answer, and where in the document it stands. What the document does not name (an unknown path,
 * another method) is described as any endpoint describes its other errors.
 */
function findDescription(
  document: OpenApiDocument,
  anyEndpoint: string,
  method: string,
  path: string,
  status: number,
): { description: ResponseDescription; pointer: string } {
  const known = path.replace(/\?.*$/, '').replace(/(?<=.)\/$/, '');
  const steps = [
    [known, method.toLowerCase(), String(status)],
    [known, method.toLowerCase(), 'default'],
    [anyEndpoint, 'post', 'default'],
  ] as const;
  for (const [at, verb, key] of steps) {
    const description = document.paths[at]?.[verb]?.responses[key];
    if (description) return { description, pointer: pointerTo('paths', at, verb, 'responses', key) };
  }
  throw new Error('the document describes no other errors');
}

/** Its `code` is its status; what is no error must be described. */
function checkOtherError(status: number, value: unknown): string[] {
  if (status < 400) return [`the status ${status} is not described`];
  return (value as { code?: unknown }).code === status ? [] : [`/code is not ${status}`];
}

function describeViolation({ instancePath, message = 'is wrong' }: ErrorObject): string {
  return `${instancePath} ${message}`;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** RFC 6901, in the form of a URI's fragment. */
function pointerTo(...keys: string[]): string {
  return keys.map((key) => `/${encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'))}`).join('');
}
