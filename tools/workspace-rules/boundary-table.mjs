import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { format } from 'prettier';
import { depConstraints } from '../../module-boundaries.mjs';

/** `npm run docs`: writes the table of the module boundaries into CONTRIBUTING.md. With `--check`: fails when it differs. */
const FILE = path.resolve(import.meta.dirname, '../../CONTRIBUTING.md');
const BEGIN = '<!-- made from module-boundaries.mjs by npm run docs -->';
const END = '<!-- end of what npm run docs makes -->';

const code = (names = []) => names.map((name) => `\`${name}\``).join(' ');

const rows = depConstraints.map((constraint) => [
  code(constraint.allSourceTags ?? [constraint.sourceTag]),
  constraint.onlyDependOnLibsWithTags?.length === 0 ? 'nothing' : code(constraint.onlyDependOnLibsWithTags),
  code(constraint.notDependOnLibsWithTags),
  code(constraint.bannedExternalImports),
]);
const header = ['a project tagged', 'imports only projects tagged', 'reaches none tagged', 'imports no package'];
const table = [header, header.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');

const text = readFileSync(FILE, 'utf8');
const [before, rest] = text.split(BEGIN);
const after = rest?.split(END)[1];
if (after === undefined) throw new Error(`${FILE} lacks the marks "${BEGIN}" and "${END}"`);
const fresh = await format(`${before}${BEGIN}\n\n${table}\n\n${END}${after}`, { parser: 'markdown', printWidth: 120 });

if (process.argv.includes('--check')) {
  if (fresh !== text) throw new Error('CONTRIBUTING.md differs from module-boundaries.mjs: run npm run docs');
} else {
  writeFileSync(FILE, fresh);
}
