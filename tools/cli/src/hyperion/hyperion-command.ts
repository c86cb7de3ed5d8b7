import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Command } from 'commander';
import { loadConfig } from '@antelope-history/app-runtime';
import { HistoryError } from '@antelope-history/schemas';
import type { CommandHost } from '../program';
import { readHyperionFiles } from './hyperion-files';
import { type TranslatedConfiguration, type TranslatedKey, translateHyperion } from './translate-hyperion';

interface HyperionOptions {
  from: string;
  chain: string;
  out: string;
  embedded: boolean;
  json: boolean;
}

const NOTES = `
Reads connections.json and chains/NAME.config.json of Hyperion 4, and writes config.json and the passwords, each to a file of its own
that only you can read. Nothing is overwritten, and no server is asked: check-config does that with the result.

Exit status: 0 written; 1 written, but the configuration has a value that this service does not take; 2 it could not go on.`;

export function addHyperionConfig(program: Command, host: CommandHost, setStatus: (status: number) => void): void {
  program
    .command('hyperion-config')
    .description('translate the configuration of Hyperion 4')
    .requiredOption('--from <folder>', "Hyperion's folder config, with connections.json")
    .requiredOption('--chain <name>', 'the chain: its name in connections.json')
    .requiredOption('--out <folder>', 'where config.json and the password files go')
    .option('--embedded', 'for one process with the embedded store, without servers', false)
    .option('--json', 'print what became of each key as JSON', false)
    .addHelpText('after', NOTES)
    .action(async (options: HyperionOptions) => setStatus(await writeTranslation(options, host)));
}

/** Resolves with the exit status. Rejects with `CONFIG_INVALID` when a file cannot be read or written. */
async function writeTranslation(
  { from, chain, out, embedded, json }: HyperionOptions,
  host: CommandHost,
): Promise<number> {
  const folder = path.resolve(out);
  const files = readHyperionFiles(from, chain);
  const translated = translateHyperion(files, { embedded, secretPath: (file) => path.join(folder, file) });
  const configFile = path.join(folder, 'config.json');
  await writeFiles(folder, translated);
  const wrong = findWrong(configFile);
  if (json) host.output.write(`${JSON.stringify({ file: configFile, keys: translated.keys, wrong }, null, 2)}\n`);
  else host.output.write(`${[...describeKeys(translated.keys), '', ...nextSteps(configFile, wrong)].join('\n')}\n`);
  return wrong === undefined ? 0 : 1;
}

/**
 * Throws `CONFIG_INVALID` when one of the files exists, before anything is written. The configuration comes last: it is there only
 * when the passwords are that it names.
 */
async function writeFiles(folder: string, { config, secrets }: TranslatedConfiguration): Promise<void> {
  const files = [...secrets, ['config.json', `${JSON.stringify(config, null, 2)}\n`] as const].map(
    ([name, content]) => ({ file: path.join(folder, name), content }),
  );
  const existing = files.findLast(({ file }) => existsSync(file));
  if (existing) throw new HistoryError('CONFIG_INVALID', `--out: ${existing.file} exists: name another folder`);
  try {
    await mkdir(folder, { recursive: true });
    for (const { file, content } of files) await writeFile(file, content, { flag: 'wx', mode: 0o600 });
  } catch (cause) {
    throw new HistoryError('CONFIG_INVALID', `--out: ${(cause as Error).message}`, { cause });
  }
}

/** What the service says to the configuration; undefined when it takes it. */
function findWrong(configFile: string): string | undefined {
  try {
    loadConfig({}, { file: configFile });
    return undefined;
  } catch (error) {
    if (error instanceof HistoryError) return error.message;
    throw error;
  }
}

/** First the keys that were taken over, then the others, each with the reason. */
function describeKeys(keys: readonly TranslatedKey[]): string[] {
  const width = Math.max(...keys.map(({ from }) => from.length));
  const [taken, left] = [keys.filter(({ to }) => to.length > 0), keys.filter(({ to }) => to.length === 0)];
  return [
    'Taken over:',
    ...taken.map(({ from, to, note }) => `  ${from.padEnd(width)}  ${to.join(', ')}${note ? ` (${note})` : ''}`),
    'Without a counterpart:',
    ...left.map(({ from, note = '' }) => `  ${from.padEnd(width)}  ${note}`),
  ];
}

function nextSteps(configFile: string, wrong: string | undefined): string[] {
  if (wrong !== undefined) return [`${configFile} is written, and needs a correction:`, wrong];
  return [
    `${configFile} is written. It is for every app; what it does not set has the default of docs/configuration.md.`,
    `Next: npx antelope-history check-config --config ${configFile}`,
  ];
}
