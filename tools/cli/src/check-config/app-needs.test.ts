import { readFileSync } from 'node:fs';
import path from 'node:path';
import { APP_NAMES, sectionsOf } from './app-needs';

const WORKSPACE = path.join(__dirname, '../../../..');
const read = (file: string): string => readFileSync(path.join(WORKSPACE, file), 'utf8');

/** The list `uses` of an app's `runProgram`, which `runApi` calls for the APIs; importing an app's file would start it. */
function declaredUses(app: string): string[] {
  const main = read(`apps/${app}/src/main.ts`);
  const source = main.includes('runApi(') ? read('libs/run-api/src/run-api.ts') : main;
  const [, list = ''] = /\buses: \[(.*?)\]/.exec(source) ?? [];
  return list.split(',').map((item) => item.trim().replaceAll("'", ''));
}

/** The sections with `yes` in the table of docs/configuration.md. */
function documentedUses(app: string): string[] {
  const rows = read('docs/configuration.md').match(/^\|.*\|$/gm) ?? [];
  const cellsOf = (row = ''): string[] => row.split('|').map((cell) => cell.trim().replaceAll('`', ''));
  const header = cellsOf(rows.find((row) => row.startsWith('| app |')));
  const row = cellsOf(rows.find((candidate) => cellsOf(candidate)[1]?.split(', ').includes(app)));
  return header.filter((_, index) => row[index] === 'yes').map((name) => (name === 'key_value' ? 'keyValue' : name));
}

describe('the server sections of each app', () => {
  it.each(APP_NAMES)('are the same for %s in check-config, in the app and in docs/configuration.md', (app) => {
    const sections = sectionsOf(app);
    expect(sections.length).toBeGreaterThan(0);
    expect(declaredUses(app).sort()).toEqual([...sections].sort());
    expect(documentedUses(app).sort()).toEqual([...sections].sort());
  });
});
