import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { WORKSPACE_ROOT } from '../src';

/** The most terms that a newcomer can be expected to learn. */
const MAX_TERMS = 40;

const glossary = readFileSync(path.join(WORKSPACE_ROOT, 'docs/glossary.md'), 'utf8');
const rows = [...glossary.matchAll(/^\| ([^|]+?) +\| ([^|]+?) +\| `(\w+)` +\|$/gm)];

describe('docs/glossary.md', () => {
  it(`has at most ${MAX_TERMS} terms, each once`, () => {
    const terms = rows.map(([, term]) => term);
    expect(terms.length).toBeGreaterThan(0);
    expect(terms.length).toBeLessThanOrEqual(MAX_TERMS);
    expect(new Set(terms).size).toBe(terms.length);
  });

  it('names symbols that exist', () => {
    const exported = exportedSymbols();
    expect(rows.map(([, , , symbol]) => symbol).filter((symbol = '') => !exported.has(symbol))).toEqual([]);
  });

  it('has a symbol in every row', () => {
    const tableRows = glossary.split('\n').filter((line) => line.startsWith('| ') && !/^\| (term|-)/.test(line));
    expect(tableRows).toHaveLength(rows.length);
  });
});

/** The names that the sources of apps, libs and tools export by declaration. */
function exportedSymbols(): Set<string> {
  const declaration =
    /^export (?:declare )?(?:abstract )?(?:async )?(?:class|interface|type|function\*?|const) (\w+)/gm;
  const names = new Set<string>();
  for (const group of ['apps', 'libs', 'tools']) {
    for (const project of readdirSync(path.join(WORKSPACE_ROOT, group))) {
      for (const file of sourcesOf(path.join(WORKSPACE_ROOT, group, project, 'src'))) {
        for (const [, name = ''] of readFileSync(file, 'utf8').matchAll(declaration)) names.add(name);
      }
    }
  }
  return names;
}

function sourcesOf(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .map((file) => path.join(folder, file));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
