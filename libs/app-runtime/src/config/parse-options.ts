import { parseArgs, type ParseArgsConfig } from 'node:util';
import { HistoryError } from '@antelope-history/schemas';

type Options = NonNullable<ParseArgsConfig['options']>;
type Values<Described extends Options> = ReturnType<typeof parseArgs<{ args: string[]; options: Described }>>['values'];

/**
 * Parses the options of an operator's command with `parseArgs` of Node.js, which takes `options`. Throws `CONFIG_INVALID`, which
 * names the wrong option and lists the known ones.
 */
export function parseOptions<Described extends Options>(args: string[], options: Described): Values<Described> {
  try {
    return parseArgs({ args, options }).values;
  } catch (cause) {
    // The first sentence of Node.js names the option; its advice about `--` does not apply to npm scripts.
    const [reason = 'wrong options'] = (cause as Error).message.split('. ');
    const known = Object.keys(options).map((name) => `--${name}`);
    throw new HistoryError('CONFIG_INVALID', `the command line: ${reason}; the options are ${known.join(', ')}`, {
      cause,
    });
  }
}
