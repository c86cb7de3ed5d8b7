import Ajv2020, { type ErrorObject, type ValidateFunction } from 'ajv/dist/2020';

/** The parts of an OpenAPI 3.1 document that the check reads. */
export interface CheckedDocument {
  /** Operations by path and by method in lower case. */
  paths: Record<string, Record<string, { responses: Record<string, ResponseDescription> }>>;
}

interface ResponseDescription {
  /** By media type. */
  content: Record<string, unknown>;
}

/** A response as it came over HTTP, with the method and the path of its request. */
export interface CheckedResponse {
  method: string;
  path: string;
  status: number;
  contentType: string | undefined;
  body: string;
}

/** The violations of the OpenAPI document by a response; empty when there are none. */
export type ResponseCheck = (response: CheckedResponse) => string[];

const DOCUMENT = 'openapi.json';

/**
 * Makes the check of responses against a document. It compiles each schema at its first use and may be kept for any number
 * of responses.
 */
export function createResponseCheck(document: CheckedDocument): ResponseCheck {
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
    const { description, pointer } = findDescription(document, method, path, status);
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
 * The description of a response, and its JSON pointer in the document. A response that the document does not name (an
 * unknown path, another method) must be as the endpoints describe their other errors.
 */
function findDescription(
  document: CheckedDocument,
  method: string,
  path: string,
  status: number,
): { description: ResponseDescription; pointer: string } {
  const known = path.replace(/\?.*$/, '').replace(/(?<=.)\/$/, '');
  const steps = [
    [known, method.toLowerCase(), String(status)],
    [known, method.toLowerCase(), 'default'],
    [firstEndpoint(document), 'post', 'default'],
  ] as const;
  for (const [at, verb, key] of steps) {
    const description = document.paths[at]?.[verb]?.responses[key];
    if (description) return { description, pointer: pointerTo('paths', at, verb, 'responses', key) };
  }
  throw new Error('the document describes no other errors');
}

function firstEndpoint({ paths }: CheckedDocument): string {
  return Object.keys(paths).find((path) => paths[path]?.['post']?.responses['default']) ?? '';
}

/** The `code` of an error response equals its status; a response that is no error must be described. */
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
