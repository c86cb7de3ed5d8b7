import { z } from 'zod';

/**
 * The JSON Schema 2020-12 of what a client may send or receives. Zod itself leaves out the default of a field that it
 * transforms, because the default need not have the type of the input; here `meta({ default })` names the input's.
 */
export function toJsonSchema(schema: z.ZodType, io: 'input' | 'output') {
  return z.toJSONSchema(schema, {
    io,
    override({ zodSchema, jsonSchema }) {
      const initial = z.globalRegistry.get(zodSchema)?.['default'];
      if (initial !== undefined) jsonSchema.default = initial;
    },
  });
}
