import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { createRequire, isBuiltin } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import ts from 'typescript';

/**
 * Determines what an app contains: the projects and packages of its production dependencies, and the modules that it can load.
 * `bundle-app.mjs` copies this into the app's image. `node deploy/docker/app-contents.mjs [ROOT]` prints the contents of
 * every app of a built workspace as JSON, by the app's name.
 */
const SCOPE = '@antelope-history/';

/**
 * Paths are relative to `root`, the folder of a built workspace.
 * - `projects`: folders of the app and of all workspace projects in its transitive `dependencies`;
 * - `dependencies`: the npm packages that these projects depend on, each with the folders of its transitive dependencies;
 * - `packages`: the folders of all these packages;
 * - `modules`: the files of the workspace that `dist/main.js` reaches through imports, `import()`, threads and
 *   `require.resolve`, which names what the app sends to browsers;
 * - `imports`: names of the npm packages that these modules import.
 */
export function readAppContents(root, app) {
  return readProgramContents(root, [`apps/${app}/dist/main.js`]);
}

/** The same for several programs together, each named by its compiled entry point below `root`. */
export function readProgramContents(root, entries) {
  const projects = readProjects(root);
  const folders = new Set(entries.flatMap((entry) => [...projectsOf(projects, nameOfProject(projects, entry))]));
  const { modules, imports } = traceModules(root, entries);
  const dependencies = dependenciesOf(root, folders);
  const packages = new Set([...dependencies.values()].flatMap((locations) => [...locations]));
  return {
    projects: [...folders].sort(),
    dependencies: Object.fromEntries([...dependencies].map(([name, locations]) => [name, [...locations].sort()])),
    packages: [...packages].sort(),
    modules,
    imports,
  };
}

export function listApps(root) {
  const names = readdirSync(path.join(root, 'apps'));
  return names.filter((name) => existsSync(path.join(root, 'apps', name, 'src/main.ts'))).sort();
}

/** Workspace projects by package name. */
function readProjects(root) {
  const folders = ['apps', 'libs', 'tools']
    .filter((group) => existsSync(path.join(root, group)))
    .flatMap((group) => readdirSync(path.join(root, group)).map((name) => `${group}/${name}`))
    .filter((folder) => existsSync(path.join(root, folder, 'package.json')));
  return new Map(
    folders.map((folder) => {
      const { name, dependencies } = readJson(path.join(root, folder, 'package.json'));
      return [name, { folder, dependencies: Object.keys(dependencies ?? {}) }];
    }),
  );
}

/** The package name of the project that a file belongs to. */
function nameOfProject(projects, file) {
  const found = [...projects].find(([, { folder }]) => file.startsWith(`${folder}/`));
  if (!found) throw new Error(`${file} belongs to no project of the workspace`);
  return found[0];
}

/** The folders of a project and of all projects in its transitive dependencies. */
function projectsOf(projects, name, found = new Set()) {
  const project = projects.get(name);
  if (!project) throw new Error(`${name} is not a project of the workspace`);
  if (found.has(project.folder)) return found;
  found.add(project.folder);
  for (const dependency of project.dependencies) {
    if (dependency.startsWith(SCOPE)) projectsOf(projects, dependency, found);
  }
  return found;
}

/**
 * The npm packages that projects depend on, by name: the folder of each with those of its transitive dependencies. Follows
 * package-lock.json as Node.js resolves packages, from the inner node_modules outwards.
 */
function dependenciesOf(root, folders) {
  const locked = readJson(path.join(root, 'package-lock.json')).packages;
  const dependencies = new Map();
  for (const folder of folders) {
    for (const location of locateDependencies(folder, readJson(path.join(root, folder, 'package.json')))) {
      const name = nameAt(location);
      dependencies.set(name, new Set([...(dependencies.get(name) ?? []), ...closureOf(location)]));
    }
  }
  return new Map([...dependencies].sort(([one], [other]) => (one < other ? -1 : 1)));

  function closureOf(location) {
    const found = new Set([location]);
    // Iterating a set includes the elements that are added meanwhile.
    for (const each of found) for (const dependency of locateDependencies(each, locked[each])) found.add(dependency);
    return found;
  }

  function locateDependencies(from, { dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta }) {
    const peers = Object.keys(peerDependencies ?? {}).filter((name) => !peerDependenciesMeta?.[name]?.optional);
    const names = [...Object.keys({ ...dependencies, ...optionalDependencies }), ...peers];
    return names
      .filter((name) => !name.startsWith(SCOPE))
      .flatMap((name) => {
        const location = locate(from, name);
        if (location === undefined && !optionalDependencies?.[name])
          throw new Error(`${from} needs ${name}, which package-lock.json lacks`);
        return location ?? [];
      });
  }

  function locate(from, name) {
    for (let folder = from; ; folder = path.dirname(folder)) {
      const location = path.join(folder, 'node_modules', name);
      if (locked[location]) return location;
      if (folder === '.') return undefined;
    }
  }
}

/** Follows every import of the compiled files from `entries` on, within the workspace. */
function traceModules(root, entries) {
  const base = realpathSync(root);
  const files = new Set(entries.map((entry) => path.join(base, entry)));
  const imports = new Set();
  for (const file of files) {
    const { resolve } = createRequire(file);
    for (const specifier of file.endsWith('.js') ? specifiersOf(readFileSync(file, 'utf8')) : []) {
      if (isBuiltin(specifier)) continue;
      if (specifier.startsWith('.') || specifier.startsWith(SCOPE)) files.add(realpathSync(resolve(specifier)));
      else imports.add(nameOf(specifier));
    }
  }
  const modules = [...files].map((file) => path.relative(base, file));
  return { modules: modules.sort(), imports: [...imports].sort() };
}

/** The modules that a compiled file imports or requires, the files that it starts as threads, and those that it resolves. */
function specifiersOf(text) {
  const { importedFiles } = ts.preProcessFile(text, true, true);
  const threads = [...text.matchAll(/\b__dirname, ['"]([^'"]+\.js)['"]/g)].map(([, file]) => `./${file}`);
  const resolved = [...text.matchAll(/\brequire\.resolve\(['"]([^'"]+)['"]\)/g)].map(([, specifier]) => specifier);
  return [...importedFiles.map(({ fileName }) => fileName), ...threads, ...resolved];
}

/** `redis` of `redis/dist/x`, `@redis/client` of `@redis/client/dist/x`. */
function nameOf(specifier) {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}

/** The package name of `node_modules/x/node_modules/@y/z`: `@y/z`. */
export function nameAt(location) {
  return location.split('node_modules/').at(-1);
}

function readJson(file) {
  return JSON.parse(readFileSync(file, 'utf8'));
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const root = path.resolve(process.argv[2] ?? path.join(import.meta.dirname, '../..'));
  const contents = listApps(root).map((app) => [app, readAppContents(root, app)]);
  process.stdout.write(`${JSON.stringify(Object.fromEntries(contents))}\n`);
}
