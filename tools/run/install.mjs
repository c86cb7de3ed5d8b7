import { installPackages, requireNode, runCommand } from './prepare.mjs';

/** `node tools/run/install.mjs`: checks the version of Node.js and installs the packages that are missing. */
await runCommand(() => {
  requireNode();
  installPackages();
});
