import { installPackages, requireNode, runCommand, runNode } from './prepare.mjs';

/** `npm run lint`: ESLint over the workspace. Arguments are the files to lint instead of all. */
await runCommand((args) => {
  requireNode();
  installPackages();
  // The boundary rules read Nx's stored project graph, and skip themselves when there is none, as in a fresh clone.
  const stored = runNode('node_modules/nx/dist/bin/nx.js', ['show', 'projects'], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (stored !== 0) return stored;
  return runNode('node_modules/eslint/bin/eslint.js', ['--max-warnings', '0', ...(args.length > 0 ? args : ['.'])]);
});
