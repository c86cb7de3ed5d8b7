import type { z } from 'zod';
import { HistoryError } from './errors';

const MAX_ISSUES_SHOWN = 5;

/** Parses a request body by its schema. Throws `INVALID_REQUEST`, which names the invalid fields and what each accepts. */
export function parseRequest<Request extends z.ZodType>(
  schema: Request,
  body: Record<string, unknown>,
): z.output<Request> {
  const result = schema.safeParse(body);
  if (result.success) return result.data;
  // A number beyond the safe integers fails two checks with one message.
  const problems = new Set(result.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`));
  throw new HistoryError('INVALID_REQUEST', [...problems].slice(0, MAX_ISSUES_SHOWN).join('; '));
}
