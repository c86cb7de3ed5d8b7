import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { GeneratedPart } from './generated-part';

const LINES = { begin: '<!-- begin -->', end: '<!-- end -->' };

describe('GeneratedPart', () => {
  let folder: string;
  let file: string;
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'antelope-history-part-'));
    file = path.join(folder, 'page.md');
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('replaces only the text between its lines, and reads it back', () => {
    writeFileSync(file, 'before\n<!-- begin -->\n\nold\n\n<!-- end -->\nafter\n');
    const part = new GeneratedPart(file, LINES);
    expect(part.read()).toBe('old\n');
    part.write('new\ntext\n');
    expect(part.read()).toBe('new\ntext\n');
    expect(readFileSync(file, 'utf8')).toBe('before\n<!-- begin -->\n\nnew\ntext\n\n<!-- end -->\nafter\n');
  });

  it('says which lines a document lacks, and leaves it as it is', () => {
    writeFileSync(file, '<!-- end -->\n<!-- begin -->\n');
    expect(() => new GeneratedPart(file, LINES).write('new')).toThrow('lacks the lines "<!-- begin -->"');
    expect(readFileSync(file, 'utf8')).toBe('<!-- end -->\n<!-- begin -->\n');
  });
});
