import { cpSync, existsSync, mkdirSync, symlinkSync } from 'node:fs';
import path from 'node:path';

/** Only compilers and debuggers read these files of a package. */
const DEVELOPMENT_FILE = /\.(d\.[cm]?ts|map)$/;

/**
 * Copies the contents of programs (`app-contents.mjs`) from the workspace into a folder, in which they then run. The packages come
 * from node_modules: `npm ci` has to have installed them on the platform on which they run.
 */
export function copyContents(root, { projects, packages, modules }, folder) {
  for (const module of modules) copy(module);
  for (const project of projects) if (modules.some((module) => module.startsWith(`${project}/`))) linkProject(project);
  for (const location of packages) copyPackage(location);

  function copy(file, options) {
    cpSync(path.join(root, file), path.join(folder, file), options);
  }

  /** Makes the project's modules importable by its package name, which equals its folder's. */
  function linkProject(project) {
    copy(`${project}/package.json`);
    const link = path.join(folder, 'node_modules/@antelope-history', path.basename(project));
    mkdirSync(path.dirname(link), { recursive: true });
    symlinkSync(path.join('../..', project), link);
  }

  /** Copies a package without the packages nested in it, which are copied from locations of their own. */
  function copyPackage(location) {
    const source = path.join(root, location);
    // Optional packages with binaries exist for the installed platform only.
    if (!existsSync(source)) return;
    const nested = path.join(source, 'node_modules');
    copy(location, { recursive: true, filter: (file) => file !== nested && !DEVELOPMENT_FILE.test(file) });
  }
}
