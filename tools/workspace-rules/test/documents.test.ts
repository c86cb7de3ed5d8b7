import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { readProjects, WORKSPACE_ROOT } from '../src';

const read = (file: string): string => readFileSync(path.join(WORKSPACE_ROOT, file), 'utf8');
const OF_ALL_FOLDERS = { recursive: true, encoding: 'utf8' } as const;
const DOCUMENTS = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'CHANGELOG.md',
  'docs/README.md',
  'docs/architecture.md',
  'docs/moving-from-history-plugin.md',
  'docs/moving-from-hyperion.md',
  'docs/stream.md',
  'docs/threat-model.md',
];

describe('docs/architecture.md', () => {
  const rows = new Map(
    [...read('docs/architecture.md').matchAll(/^\| `((?:apps|libs|tools)\/[\w-]+)` +\|(.*)\|$/gm)].map(
      ([, folder = '', cells = '']) => [folder, cells.split('|').map((cell) => cell.trim())] as const,
    ),
  );

  it.each(readProjects())('states what $folder owns and depends on', ({ folder, dependsOn }) => {
    const [owns, doesNotOwn, depends] = rows.get(folder) ?? [];
    expect(owns).toMatch(/\w/);
    expect(doesNotOwn).toMatch(/\S/);
    expect(depends).toBe(dependsOn.join(', ') || '–');
  });

  it('has a row for each existing project only', () => {
    expect([...rows.keys()]).toEqual(readProjects().map(({ folder }) => folder));
  });

  it('names files without their project in the project named before them only', () => {
    let sources: string[] = [];
    const missing: string[] = [];
    for (const [, folder = '', file = ''] of read('docs/architecture.md').matchAll(
      /`(?:((?:apps|libs|tools)\/[\w-]+)[\w./-]*|([\w/-]+\.ts))`/g,
    )) {
      if (folder !== '') sources = readdirSync(path.join(WORKSPACE_ROOT, folder, 'src'), OF_ALL_FOLDERS);
      else if (!sources.some((source) => `/${source}`.endsWith(`/${file}`))) missing.push(file);
    }
    expect(missing).toEqual([]);
  });
});

describe('CONTRIBUTING.md', () => {
  it('shows the module boundaries', () => {
    const script = path.join(WORKSPACE_ROOT, 'tools/workspace-rules/boundary-table.mjs');
    execFileSync(process.execPath, [script, '--check'], { stdio: 'pipe' });
  });

  it('names every npm command', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    const described = read('CONTRIBUTING.md');
    const missing = Object.keys(scripts).filter((name) => !new RegExp(`npm (run )?${name}(?![\\w:-])`).test(described));
    expect(missing).toEqual([]);
  });
});

describe.each(DOCUMENTS)('%s', (document) => {
  it('names existing files only', () => {
    const text = read(document);
    const named = [...text.matchAll(/`((?:apps|libs|tools|docs|samples)\/[\w./-]+)/g)].map(([, file = '']) => file);
    const linked = [...text.matchAll(/\]\(([\w./-]+)\)/g)].map(([, file = '']) =>
      path.join(path.dirname(document), file),
    );
    const built = /\/dist\//;
    expect([...named, ...linked].filter((file) => !built.test(file) && !exists(file))).toEqual([]);
  });
});

function exists(file: string): boolean {
  return existsSync(path.join(WORKSPACE_ROOT, file));
}
