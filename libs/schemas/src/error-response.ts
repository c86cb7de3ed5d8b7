import { z } from 'zod';

/** The body of every error, in the node's shape (nodeos plugins/http_plugin, `error_results`). */
export const errorResponse = z
  .object({
    code: z.int().describe('The HTTP status.'),
    message: z.string(),
    error: z.object({
      code: z.int().describe("The node's code of the error; 0 where it has none."),
      name: z.string(),
      what: z.string(),
      details: z.array(
        z.object({
          message: z.string().describe('What to change.'),
          file: z.string(),
          line_number: z.int().min(0),
          method: z.string().describe('The endpoint.'),
        }),
      ),
    }),
  })
  .meta({ id: 'Error', description: "Every error, in the node's shape." });
export type ErrorResponse = z.output<typeof errorResponse>;
