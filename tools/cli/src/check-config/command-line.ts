import { parseOptions } from '@antelope-history/app-runtime';
import { HistoryError } from '@antelope-history/schemas';
import { APP_NAMES, type AppName } from './app-needs';

export const USAGE = `npm run check-config -- [options]

Reads the configuration as the apps do, tries each connection and permission that they need, and prints for each what is
wrong and what to change. Exits with status 1 when something is wrong or cannot be checked, and with 2 when an option is wrong.

  --config FILE   the configuration file (default: config.json if it exists); environment variables take precedence
  --for APP       check the needs of one app: ${APP_NAMES.join(', ')};
                  or all (the default: every app that this configuration can run)
  --json          print one JSON object per line and check
  --help          this text
`;

export interface CommandLine {
  config: string | undefined;
  app: AppName | 'all';
  json: boolean;
}

const OPTIONS = {
  config: { type: 'string' },
  for: { type: 'string' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

/** Parses the command line. Throws `CONFIG_INVALID` that names the wrong option. */
export function parseCommandLine(args: string[]): 'help' | CommandLine {
  const { help, config, for: app = 'all', json = false } = parseOptions(args, OPTIONS);
  if (help) return 'help';
  if (!isApp(app)) throw new HistoryError('CONFIG_INVALID', `--for takes one of ${APP_NAMES.join(', ')}, all`);
  return { config, app, json };
}

function isApp(text: string): text is AppName | 'all' {
  return text === 'all' || APP_NAMES.some((name) => name === text);
}
