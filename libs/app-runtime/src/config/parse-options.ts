import { HistoryError } from '@antelope-history/schemas';

/**
 * The result of `parse`, which parses the options of an operator's command with `parseArgs` of Node.js. Throws `CONFIG_INVALID`,
 * which names the wrong option, in place of the errors of `parseArgs`.
 */
export function parseOptions<Values>(parse: () => Values): Values {
  try {
    return parse();
  } catch (cause) {
    // The first sentence of Node.js names the option; its advice about `--` does not apply to npm scripts.
    const [reason = 'wrong options'] = (cause as Error).message.split('. ');
    throw new HistoryError('CONFIG_INVALID', `the command line: ${reason}; --help lists the options`, { cause });
  }
}
