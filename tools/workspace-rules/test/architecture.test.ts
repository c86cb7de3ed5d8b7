import { readFileSync } from 'node:fs';
import path from 'node:path';
import { readProjects, WORKSPACE_ROOT } from '../src';

/** The rows of the table in docs/architecture.md: project, owns, does not own, depends on. */
function readRows(): string[][] {
  const text = readFileSync(path.join(WORKSPACE_ROOT, 'docs/architecture.md'), 'utf8');
  const rows = text.split('\n').filter((line) => /^\| +`(apps|libs|tools)\//.test(line));
  return rows.map((line) =>
    line
      .split('|')
      .map((cell) => cell.trim().replaceAll('`', ''))
      .slice(1, -1),
  );
}

describe('docs/architecture.md', () => {
  it('has a row for every project, with what it depends on', () => {
    const rows = readRows().map(([project, , , dependsOn]) => [project, dependsOn]);
    expect(rows).toEqual(readProjects().map(({ folder, dependsOn }) => [folder, dependsOn.join(', ') || '–']));
  });

  it('says of each what it owns and what it does not', () => {
    expect(readRows().filter(([, owns, doesNot]) => !owns || !doesNot)).toEqual([]);
  });
});
