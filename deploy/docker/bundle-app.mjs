import { spawnSync } from 'node:child_process';
import { cpSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';

/**
 * `node deploy/docker/bundle-app.mjs APP FOLDER`: puts a built app into an empty folder with nothing but what it runs on,
 * its own part of the workspace and of the packages: `node FOLDER/apps/APP/dist/main.js` starts it there.
 */
const ROOT = path.resolve(import.meta.dirname, '../..');
const SCOPE = '@antelope-history/';
/** What `npm ci` reads; it also wants the package.json of every project that the lock file names. */
const NPM_FILES = ['package.json', 'package-lock.json', '.npmrc'];

const [app, folder] = process.argv.slice(2);
const projects = readProjects();
const needed = projectsOf(`${SCOPE}${app}`);
copyManifests();
installProductionPackages();
copyBuilt();
removeTheRest();

/** Folders below the root by package name. */
function readProjects() {
  const folders = ['apps', 'libs', 'tools'].flatMap((group) =>
    readdirSync(path.join(ROOT, group)).map((name) => `${group}/${name}`),
  );
  const known = folders.filter((location) => lstatSync(path.join(ROOT, location)).isDirectory()).map(readProject);
  return new Map(known.filter(Boolean).map((project) => [project.name, project]));
}

function readProject(location) {
  try {
    const { name, dependencies } = JSON.parse(readFileSync(path.join(ROOT, location, 'package.json'), 'utf8'));
    return { name, location, dependencies: Object.keys(dependencies ?? {}) };
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
}

/** The app and every project that it depends on, however far. */
function projectsOf(name, found = new Set()) {
  const project = projects.get(name);
  if (!project) throw new Error(`${name} is no project of the workspace`);
  if (found.has(project)) return found;
  found.add(project);
  for (const dependency of project.dependencies) if (dependency.startsWith(SCOPE)) projectsOf(dependency, found);
  return found;
}

function copyManifests() {
  for (const file of NPM_FILES) cpSync(path.join(ROOT, file), path.join(folder, file));
  for (const { location } of projects.values()) {
    const manifest = path.join(location, 'package.json');
    mkdirSync(path.join(folder, location), { recursive: true });
    cpSync(path.join(ROOT, manifest), path.join(folder, manifest));
  }
}

/** No package that an app runs on needs its install script: lmdb's binaries are packages of their own. */
function installProductionPackages() {
  const args = ['ci', '--omit=dev', '--ignore-scripts', '--include-workspace-root=false', `--workspace=apps/${app}`];
  const { status, error } = spawnSync('npm', args, { cwd: folder, stdio: 'inherit' });
  if (error) throw error;
  if (status !== 0) throw new Error(`npm ci ended with ${status}`);
}

function copyBuilt() {
  for (const { location } of needed) {
    const dist = path.join(location, 'dist');
    cpSync(path.join(ROOT, dist), path.join(folder, dist), { recursive: true, filter: isRun });
  }
}

/** Folders, and what Node.js loads of what the compiler wrote. */
function isRun(file) {
  return lstatSync(file).isDirectory() || /\.(js|json)$/.test(file);
}

/** npm also links what the workspace's own tests need. */
function removeTheRest() {
  for (const project of projects.values()) {
    if (needed.has(project)) continue;
    rmSync(path.join(folder, project.location), { recursive: true });
    rmSync(path.join(folder, 'node_modules', project.name), { force: true });
  }
  for (const file of ['package-lock.json', '.npmrc', 'node_modules/.package-lock.json']) {
    rmSync(path.join(folder, file), { force: true });
  }
}
