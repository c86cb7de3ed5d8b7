import { z } from 'zod';

/** One part of a filter: contract, action name, or both. An absent side matches anything. */
export interface ActionFilter {
  account?: string;
  name?: string;
}

/** Limit on the parts of a filter; each costs the store one ordered scan. */
const MAX_FILTER_PARTS = 100;

const PART_EXPECTED = 'give code:name, code:* or *:name, or several of them with commas between';

/** `filter` of get_actions, which matches actions that match any of its parts. Does not check whether the names can exist. */
export const actionsFilter = z
  .string({ error: `${PART_EXPECTED}, as a string` })
  .meta({ minLength: 3 })
  .transform((value, context): ActionFilter[] => {
    const parts = [...new Set(value.split(','))];
    if (parts.length > MAX_FILTER_PARTS) {
      context.addIssue({ code: 'custom', message: `give at most ${MAX_FILTER_PARTS} parts` });
      return z.NEVER;
    }
    const parsed = parts.map(parsePart);
    if (parsed.every((part) => part !== undefined)) return parsed;
    context.addIssue({ code: 'custom', message: PART_EXPECTED });
    return z.NEVER;
  });

function parsePart(part: string): ActionFilter | undefined {
  const match = /^([^:*]+|\*):([^:*]+|\*)$/.exec(part);
  if (!match || part === '*:*') return undefined;
  const [, account, name] = match;
  return { ...(account !== '*' && { account }), ...(name !== '*' && { name }) };
}
