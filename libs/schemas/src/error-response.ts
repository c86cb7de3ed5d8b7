import { z } from 'zod';

/** Body of every error response, in the shape of nodeos (plugins/http_plugin, `error_results`). */
export const errorResponse = z
  .object({
    code: z.int().describe('The HTTP status.'),
    message: z.string(),
    error: z.object({
      code: z.int().describe('The error code of nodeos; 0 if nodeos has no such error.'),
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
  .meta({ id: 'Error', description: 'Every error, in the shape of nodeos.' });
export type ErrorResponse = z.output<typeof errorResponse>;
