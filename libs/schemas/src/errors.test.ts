import { readFileSync } from 'node:fs';
import path from 'node:path';
import { ERRORS, hasErrorCode, HistoryError } from './errors';

/** The rows of all tables in docs/errors.md. */
function readDocumentedErrors(): string[][] {
  const text = readFileSync(path.join(__dirname, '../../../docs/errors.md'), 'utf8');
  const rows = text.split('\n').filter((line) => line.startsWith('| `'));
  return rows.map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim().replaceAll('`', '')),
  );
}

describe('docs/errors.md', () => {
  it('has one row per code, with what the code says', () => {
    const documented = readDocumentedErrors().map((cells) => cells.slice(0, 5));
    const defined = Object.entries(ERRORS).map(([code, { family, status, nodeCode, nodeName }]) => [
      code,
      family,
      `${status}`,
      `${nodeCode}`,
      nodeName,
    ]);
    expect(documented.sort()).toEqual(defined.sort());
  });

  it('says of every code what it means and what to do', () => {
    for (const [code, , , , , meaning, whatToDo] of readDocumentedErrors()) {
      expect([code, Boolean(meaning && whatToDo)]).toEqual([code, true]);
    }
  });
});

describe('HistoryError', () => {
  it('carries its code, its definition and whether to try again', () => {
    const error = new HistoryError('RATE_LIMITED', 'slower', { cause: 'many' });
    expect([error.code, error.message, error.cause, error.retryable]).toEqual(['RATE_LIMITED', 'slower', 'many', true]);
    expect(error.definition.status).toBe(429);
    expect(new HistoryError('INVALID_NAME', '').retryable).toBe(false);
    expect([hasErrorCode(error, 'RATE_LIMITED'), hasErrorCode(error, 'INTERNAL'), hasErrorCode(5, 'INTERNAL')]).toEqual(
      [true, false, false],
    );
  });
});
