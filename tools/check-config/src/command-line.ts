import { parseArgs } from 'node:util';
import { HistoryError } from '@antelope-history/schemas';
import { APP_NAMES, type AppName } from './app-needs';

export const USAGE = `npm run check-config -- [options]

Reads the configuration as the service does, tries each connection and permission that it needs, and says of each what is
wrong and what to change. Ends with status 1 when something is wrong or could not be checked.

  --config FILE   the configuration (default: config.json when it is there; environment variables go over it)
  --for APP       what one app needs: ${APP_NAMES.join(', ')},
                  or all (default: all that this configuration can run)
  --json          one JSON object on a line for each check, for machines
  --help          this text
`;

export interface CommandLine {
  config: string | undefined;
  app: AppName | 'all';
  json: boolean;
}

/** What a command line asks for. Throws `CONFIG_INVALID` that names the wrong option. */
export function parseCommandLine(args: string[]): 'help' | CommandLine {
  const { help, config, for: app = 'all', json = false } = parseOptions(args);
  if (help) return 'help';
  if (!isApp(app)) throw new HistoryError('CONFIG_INVALID', `--for takes one of ${APP_NAMES.join(', ')}, all`);
  return { config, app, json };
}

function isApp(text: string): text is AppName | 'all' {
  return text === 'all' || APP_NAMES.some((name) => name === text);
}

function parseOptions(args: string[]) {
  try {
    return parseArgs({
      args,
      options: {
        config: { type: 'string' },
        for: { type: 'string' },
        json: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    }).values;
  } catch (cause) {
    throw new HistoryError('CONFIG_INVALID', 'the options are --config FILE, --for APP, --json and --help', { cause });
  }
}
