import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { PrepareError, ROOT, runCommand } from './prepare.mjs';

/**
 * `node tools/run/outside-app.mjs APP`: the projects that an app neither is nor depends on, with commas between, for
 * `npx nx affected --exclude`, which leaves the app's own part of the workspace.
 */
await runCommand(([app]) => {
  const { nodes, dependencies } = readGraph();
  const name = `@antelope-history/${app}`;
  if (!nodes[name]) throw new PrepareError(`${name} is no project of the workspace`);
  const inside = new Set([name]);
  // The loop also visits the projects that it adds to the set.
  for (const project of inside) for (const { target } of dependencies[project] ?? []) inside.add(target);
  const outside = Object.keys(nodes).filter((project) => !inside.has(project));
  process.stdout.write(`${outside.sort().join(',')}\n`);
});

function readGraph() {
  const nx = path.join(ROOT, 'node_modules/nx/dist/bin/nx.js');
  const { stdout, status } = spawnSync(process.execPath, [nx, 'graph', '--print'], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'inherit'],
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (status !== 0) throw new PrepareError('nx graph failed: see its message above.');
  return JSON.parse(stdout).graph;
}
