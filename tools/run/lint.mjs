import { installPackages, requireNode, runCommand, runNode } from './prepare.mjs';

const ESLINT = 'node_modules/eslint/bin/eslint.js';

/** `npm run lint`: ESLint over the workspace. Arguments are the files to lint instead of all. */
await runCommand((args) => {
  requireNode();
  installPackages();
  // The boundary rules read Nx's stored project graph, and skip themselves when there is none, as in a fresh clone.
  const stored = runNode('node_modules/nx/dist/bin/nx.js', ['show', 'projects'], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (stored !== 0) return stored;
  if (args.length > 0) return runNode(ESLINT, ['--max-warnings', '0', ...args]);
  // eslint.config.mjs then reads the types of all files from one program.
  const env = { ...process.env, HISTORY_LINT_WORKSPACE: 'true' };
  return runNode(ESLINT, ['--max-warnings', '0', '.'], { env });
});
