export { ENDPOINT_NOTES, type EndpointNotes } from './endpoint-notes';
export {
  type AnswerDescription,
  createOpenApiDocument,
  type OpenApiDocument,
  type Operation,
} from './openapi-document';
