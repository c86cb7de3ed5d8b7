import { cpSync, existsSync, mkdirSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { readAppContents } from './app-contents.mjs';

/**
 * `node deploy/docker/bundle-app.mjs APP FOLDER`: copies a built app into an empty folder, with only the modules and packages
 * that it can load. `node FOLDER/apps/APP/dist/main.js` starts it there. The packages come from node_modules: `npm ci` has to
 * have installed them on the platform of the image.
 */
const ROOT = path.resolve(import.meta.dirname, '../..');
/** Only compilers and debuggers read these files of a package. */
const DEVELOPMENT_FILE = /\.(d\.[cm]?ts|map)$/;

const [app, folder] = process.argv.slice(2);
const { projects, packages, modules } = readAppContents(ROOT, app);
for (const module of modules) copy(module);
for (const project of projects) if (modules.some((module) => module.startsWith(`${project}/`))) linkProject(project);
for (const location of packages) copyPackage(location);

function copy(file, options) {
  cpSync(path.join(ROOT, file), path.join(folder, file), options);
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
  const source = path.join(ROOT, location);
  // Optional packages with binaries exist for the installed platform only.
  if (!existsSync(source)) return;
  const nested = path.join(source, 'node_modules');
  copy(location, { recursive: true, filter: (file) => file !== nested && !DEVELOPMENT_FILE.test(file) });
}
