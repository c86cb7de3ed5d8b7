export type JsonObject = Record<string, unknown>;

/** The subset of OpenAPI 3.1 that the document uses. */
export interface OpenApiDocument {
  openapi: string;
  info: JsonObject;
  servers: { url: string }[];
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: {
    schemas: Record<string, JsonObject>;
    headers: Record<string, JsonObject>;
    securitySchemes: Record<string, JsonObject>;
  };
}

export interface Operation {
  operationId: string;
  summary: string;
  tags: string[];
  description?: string;
  /** Alternatives. */
  security?: Record<string, string[]>[];
  parameters?: JsonObject[];
  requestBody?: JsonObject;
  /** By HTTP status, or `default`. */
  responses: Record<string, ResponseDescription>;
}

export interface ResponseDescription {
  description: string;
  headers?: JsonObject;
  /** By media type. */
  content: Record<string, { schema: JsonObject; example?: unknown; examples?: JsonObject }>;
}
