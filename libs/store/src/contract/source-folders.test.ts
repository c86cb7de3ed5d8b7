import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { entryViolations, folderViolations, type SourceFolders } from './source-folders';

describe('the rules of source folders', () => {
  let sources: string;
  beforeEach(() => (sources = mkdtempSync(path.join(tmpdir(), 'source-folders-'))));
  afterEach(() => rmSync(sources, { recursive: true }));

  function write(files: Record<string, string>): void {
    for (const [file, text] of Object.entries(files)) {
      mkdirSync(path.dirname(path.join(sources, file)), { recursive: true });
      writeFileSync(path.join(sources, file), text);
    }
  }

  const rules = (folders: SourceFolders['folders'] = { low: [], read: ['low'], write: ['low'] }): SourceFolders => ({
    sources,
    folders,
    entries: { 'reader.ts': ['low', 'read'] },
  });

  const GOOD = {
    'reader.ts': "export { open } from './read/open';\n",
    'low/keys.ts': 'export const KEY = 1;\n',
    'read/open.ts': "import { KEY } from '../low/keys';\nexport const open = KEY;\n",
    'write/batch.ts': "import type { KEY } from '../low/keys';\nexport type Batch = typeof KEY;\n",
    'read/open.test.ts': "import type { Batch } from '../write/batch';\nexport type Each = Batch;\n",
  };

  it('pass where each folder imports those that it names; tests may import any', () => {
    write(GOOD);
    expect(folderViolations(rules())).toEqual([]);
    expect(entryViolations(rules(), 'reader.ts')).toEqual([]);
  });

  it.each([
    ['an import', "import { batch } from '../write/batch';\n"],
    ['an import of a type', "import type { Batch } from '../write/batch';\n"],
    ['an import over several lines', "import {\n  batch,\n} from '../write/batch';\n"],
    ['a re-export', "export * from '../write/batch';\n"],
    ['an import at run time', "export const load = () => import('../write/batch');\n"],
  ])('find %s of another side, and the entry point that reaches it', (_, text) => {
    write({ ...GOOD, 'low/keys.ts': text, 'write/batch.ts': 'export const batch = 1;\n' });
    expect(folderViolations(rules())).toEqual(['low/keys.ts imports write/batch.ts']);
    expect(entryViolations(rules(), 'reader.ts')).toEqual(['write/batch.ts']);
  });

  it('find a folder that may import one that does not stand before it', () => {
    write(GOOD);
    expect(folderViolations(rules({ low: ['read'], read: ['low'], write: ['low'] }))).toEqual([
      'low may not name read, which does not stand before it',
    ]);
  });
});
