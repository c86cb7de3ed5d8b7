import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { findProhibited, PROHIBITIONS, readAppContents, readProjects, WORKSPACE_ROOT } from '../src';

/** A port may consist of types only for one of its sides; data fields are decoded by the side that writes. */
const ONE_SIDED: ReadonlySet<string> = new Set(['libs/store', 'libs/data-fields']);

describe('the contents of the apps', () => {
  const contents = readAppContents();
  const apps = Object.entries(contents).map(([app, content]) => ({ app, content }));

  it('are those that docs/architecture.md lists', () => {
    const script = path.join(WORKSPACE_ROOT, 'tools/workspace-rules/contents-table.mjs');
    execFileSync(process.execPath, [script, '--check'], { stdio: 'pipe' });
  });

  it('are read for every app', () => {
    const folders = readProjects().filter(({ tags }) => tags.includes('layer:app'));
    expect(Object.keys(contents)).toEqual(folders.map(({ name }) => name));
    expect(Object.keys(PROHIBITIONS).sort()).toEqual(Object.keys(contents));
  });

  it.each(apps)('of $app include nothing that is prohibited for it', ({ app, content }) => {
    expect(findProhibited(content, PROHIBITIONS[app] ?? [])).toEqual([]);
  });

  it.each(apps)('of $app include the npm packages that its modules import, and no unused project', ({ content }) => {
    const { dependencies, imports, modules, projects } = content;
    expect(imports).toEqual(Object.keys(dependencies));
    const unused = projects.filter((project) => !modules.some((module) => module.startsWith(`${project}/`)));
    expect(unused.filter((project) => !ONE_SIDED.has(project))).toEqual([]);
  });

  it('of the standalone app are those of all apps', () => {
    const standalone = new Set(contents['standalone']?.modules);
    const others = apps.flatMap(({ content }) => content.modules).filter((module) => module.startsWith('libs/'));
    const missing = [...new Set(others)].filter((module) => !standalone.has(module));
    expect(missing.filter((module) => !module.startsWith('libs/run-api/'))).toEqual([]);
  });
});

describe('a prohibited dependency', () => {
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(path.join(os.tmpdir(), 'antelope-history-contents-'));
    write('apps/gateway/src/main.ts', '');
    project('apps/gateway', { 'http-rules': '*' }, { 'main.js': "require('@antelope-history/http-rules');" });
    project('libs/http-rules', {}, { 'index.js': "require('./rules');", 'rules.js': '', 'unused.js': '' });
    lock({ express: {} });
  });
  afterEach(() => rmSync(root, { recursive: true }));

  function write(file: string, text: string): void {
    mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
    writeFileSync(path.join(root, file), text);
  }

  /** `dependencies`: a workspace project by its name without the scope, a package as `npm:NAME`. */
  function project(folder: string, dependencies: Record<string, string>, modules: Record<string, string>): void {
    const name = `@antelope-history/${path.basename(folder)}`;
    const named = Object.entries(dependencies).map(([dependency, version]) => [
      dependency.startsWith('npm:') ? dependency.slice('npm:'.length) : `@antelope-history/${dependency}`,
      version,
    ]);
    const main = './dist/index.js';
    write(`${folder}/package.json`, JSON.stringify({ name, main, dependencies: Object.fromEntries(named) as object }));
    for (const [file, text] of Object.entries(modules)) write(`${folder}/dist/${file}`, text);
    const link = path.join(root, 'node_modules', name);
    mkdirSync(path.dirname(link), { recursive: true });
    rmSync(link, { force: true });
    symlinkSync(path.join(root, folder), link);
  }

  function lock(packages: Record<string, object>): void {
    const located = Object.entries(packages).map(([name, entry]) => [`node_modules/${name}`, entry]);
    write('package-lock.json', JSON.stringify({ packages: Object.fromEntries(located) as object }));
  }

  const findInGateway = (): string[] => {
    const content = readAppContents(root)['gateway'];
    return content ? findProhibited(content, PROHIBITIONS['gateway'] ?? []) : ['no gateway'];
  };

  it('is not found in an app without one', () => {
    expect(readAppContents(root)['gateway']?.modules).toEqual([
      'apps/gateway/dist/main.js',
      'libs/http-rules/dist/index.js',
      'libs/http-rules/dist/rules.js',
    ]);
    expect(findInGateway()).toEqual([]);
  });

  it('is found when a package brings it', () => {
    project('libs/http-rules', { 'npm:express': '*' }, {});
    lock({ express: { dependencies: { 'fast-store': '1' } }, 'fast-store': { dependencies: { lmdb: '1' } }, lmdb: {} });
    expect(findInGateway()).toEqual(['lmdb']);
  });

  it('is found when a project brings it', () => {
    project('libs/http-rules', { 'broker-memory': '*' }, {});
    project('libs/broker-memory', {}, {});
    expect(findInGateway()).toEqual(['libs/broker-memory']);
  });

  it('is found when a module imports it, at run time or as a thread', () => {
    project('libs/open-broker', {}, { 'index.js': '' });
    project('libs/store-lmdb', {}, { 'index.js': '' });
    write('libs/http-rules/dist/rules.js', "exports.open = () => import('@antelope-history/open-broker');");
    expect(findInGateway()).toEqual(['libs/open-broker/dist/index.js']);
    write('libs/http-rules/dist/rules.js', "new Worker(path.join(__dirname, 'unused.js'));");
    write('libs/http-rules/dist/unused.js', "require('@antelope-history/store-lmdb');");
    expect(findInGateway()).toEqual(['libs/store-lmdb/dist/index.js']);
  });
});
