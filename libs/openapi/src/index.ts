export { createOpenApiDocument } from './openapi-document';
export type { StreamDefinition } from './stream-description';
export type { OpenApiDocument, Operation, ResponseDescription } from './openapi-types';
