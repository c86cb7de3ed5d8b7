import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { ESLint } from 'eslint';

/**
 * Lints each text as if it were the given file of the workspace. Argument: JSON `[{ file, text }]`. Output: JSON, the
 * messages `[{ ruleId, message }]` of each. Runs as a process of its own because Jest cannot load ESLint's configuration.
 */
const ROOT = path.resolve(import.meta.dirname, '../..');

// The boundary rules need Nx's stored project graph: see tools/run/lint.mjs.
execFileSync(process.execPath, [path.join(ROOT, 'node_modules/nx/dist/bin/nx.js'), 'show', 'projects'], { cwd: ROOT });

const cases = JSON.parse(process.argv[2]);
const eslint = new ESLint({ cwd: ROOT });
const results = [];
for (const { file, text } of cases) {
  const [result] = await eslint.lintText(text, { filePath: path.join(ROOT, file) });
  results.push(result.messages.map(({ ruleId, message }) => ({ ruleId, message })));
}
process.stdout.write(JSON.stringify(results));
