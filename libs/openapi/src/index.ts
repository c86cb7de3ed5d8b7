export { ENDPOINT_NOTES, type EndpointNotes } from './endpoint-notes';
export { createOpenApiDocument } from './openapi-document';
export type { ResponseDescription, OpenApiDocument, Operation } from './openapi-types';
