import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

export const WORKSPACE_ROOT = path.resolve(__dirname, '../../..');

export const SCOPE = '@antelope-history/';

/** A project of the workspace, from its package.json. */
export interface Project {
  /** Relative to the root, e.g. `libs/abi`. */
  folder: string;
  /** Without the scope, e.g. `abi`. */
  name: string;
  tags: string[];
  /** Names of the projects in its `dependencies`, sorted. */
  dependsOn: string[];
}

interface PackageJson {
  name: string;
  nx?: { tags?: string[] };
  dependencies?: Record<string, string>;
}

/** Every project below `apps`, `libs` and `tools`, by folder. */
export function readProjects(): Project[] {
  return ['apps', 'libs', 'tools']
    .flatMap((group) => readdirSync(path.join(WORKSPACE_ROOT, group)).map((name) => `${group}/${name}`))
    .filter((folder) => existsSync(path.join(WORKSPACE_ROOT, folder, 'package.json')))
    .sort()
    .map(readProject);
}

function readProject(folder: string): Project {
  const { name, nx, dependencies } = JSON.parse(
    readFileSync(path.join(WORKSPACE_ROOT, folder, 'package.json'), 'utf8'),
  ) as PackageJson;
  const dependsOn = Object.keys(dependencies ?? {}).filter((dependency) => dependency.startsWith(SCOPE));
  return {
    folder,
    name: name.slice(SCOPE.length),
    tags: nx?.tags ?? [],
    dependsOn: dependsOn.map((dependency) => dependency.slice(SCOPE.length)).sort(),
  };
}
