import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';

/**
 * Which folder of an adapter's sources may import from which. A folder may name only folders that stand before it, so the
 * imports run one way; the key order of `folders` is the order.
 */
export interface SourceFolders {
  /** The absolute path of the sources. */
  sources: string;
  /** Folders of `sources`, lowest first, each with the other folders that its files may import. */
  folders: Record<string, readonly string[]>;
  /** Files of `sources` that package.json exports, each with the folders that it may reach, over any number of files. */
  entries: Record<string, readonly string[]>;
}

/** Tests that the sources keep to their folders. Call it at the top of a test file; it needs Jest. */
export function describeSourceFolders(rules: SourceFolders): void {
  describe('the source folders', () => {
    it('import one way', () => expect(folderViolations(rules)).toEqual([]));

    it.each(Object.keys(rules.entries))('%s reaches its own folders only', (entry) => {
      expect(entryViolations(rules, entry)).toEqual([]);
    });

    it('are all named, and so are the entry points', () => {
      const [folders, files] = [new Set<string>(), new Set<string>()];
      for (const file of sourceFiles(rules.sources)) {
        const folder = folderOf(file);
        if (folder === '') files.add(file);
        else folders.add(folder);
      }
      expect([...folders].sort()).toEqual(Object.keys(rules.folders).sort());
      expect([...files].sort()).toEqual(Object.keys(rules.entries).sort());
    });
  });
}

/** The imports that `folders` does not allow, as `importer imports imported`; empty when there are none. */
export function folderViolations({ sources, folders }: SourceFolders): string[] {
  const order = Object.keys(folders);
  const violations: string[] = [];
  for (const [index, folder] of order.entries()) {
    const later = (folders[folder] ?? []).filter((each) => order.indexOf(each) >= index);
    violations.push(...later.map((each) => `${folder} may not name ${each}, which does not stand before it`));
  }
  for (const file of sourceFiles(sources)) {
    const allowed = folders[folderOf(file)];
    if (!allowed) continue;
    for (const imported of importsOf(sources, file)) {
      const folder = folderOf(imported);
      if (folder !== folderOf(file) && !allowed.includes(folder)) violations.push(`${file} imports ${imported}`);
    }
  }
  return violations;
}

/** The files outside the folders of an entry point that it reaches; types count as well. */
export function entryViolations({ sources, entries }: SourceFolders, entry: string): string[] {
  const allowed = entries[entry] ?? [];
  const reached = new Set([entry]);
  for (const file of reached) for (const imported of importsOf(sources, file)) reached.add(imported);
  return [...reached].filter((file) => file !== entry && !allowed.includes(folderOf(file))).sort();
}

/** The sources but the tests, relative to `sources` and with `/` between folders. */
function sourceFiles(sources: string): string[] {
  return readdirSync(sources, { recursive: true, encoding: 'utf8' })
    .map((file) => file.split(path.sep).join('/'))
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'));
}

/** The top folder of a file; '' for a file beside the folders. */
function folderOf(file: string): string {
  return file.includes('/') ? (file.split('/')[0] ?? '') : '';
}

const RELATIVE_IMPORT = /(?:from\s*|import\s*\(?\s*|require\(\s*)['"](\.[^'"]*)['"]/g;

function importsOf(sources: string, file: string): string[] {
  const text = readFileSync(path.join(sources, file), 'utf8');
  return Array.from(text.matchAll(RELATIVE_IMPORT), ([, specifier = '']) => {
    const target = path.posix.join(path.posix.dirname(file), specifier);
    const found = [`${target}.ts`, `${target}/index.ts`].find((each) => existsSync(path.join(sources, each)));
    if (found === undefined) throw new Error(`${file} imports ${specifier}, which is no source file`);
    return found;
  });
}
