export { createOpenApiDocument } from './openapi-document';
export type { OpenApiDocument, Operation, ResponseDescription } from './openapi-types';
