import { z } from 'zod';

/** Field types that several requests share. `null` means the same as an absent field, because eosjs sends `null` for it. */

export const MAX_BLOCK_NUM = 4294967295;

/** An integer as a JSON number or a decimal string, within the range; `what` names the values that the endpoint takes. */
export function integer(min: number, max: number, what = `an integer from ${min} to ${max}`) {
  const expected = `give ${what}, as a number or a decimal string`;
  return z
    .union([z.int(expected).min(min, expected).max(max, expected), z.string().regex(/^-?\d+$/, expected)], {
      error: expected,
    })
    .transform((value, context) => {
      // Adding 0 turns -0 into 0.
      const number = Number(value) + 0;
      if (number >= min && number <= max) return number;
      context.addIssue({ code: 'custom', message: expected });
      return z.NEVER;
    });
}

export function text(expected: string) {
  return z.string({ error: `give ${expected} as a string` });
}

export function optional<T extends z.ZodType>(type: T) {
  return type.nullish().transform((value) => value ?? undefined);
}
