import { readFileSync } from 'node:fs';
import path from 'node:path';
import {
  CLIENT_ERRORS,
  type ClientErrorCode,
  clientErrorOf,
  ERRORS,
  type ErrorCode,
  hasErrorCode,
  HistoryError,
  isErrorCode,
  WORKER_ERRORS,
} from './errors';

/** The rows of all tables below a heading of the second level in docs/errors.md. */
function readRows(heading: string): string[][] {
  const text = readFileSync(path.join(__dirname, '../../../docs/errors.md'), 'utf8');
  const section = text.split(/^## /m).find((part) => part.startsWith(heading)) ?? '';
  const rows = section.split('\n').filter((line) => line.startsWith('| `'));
  return rows.map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim().replaceAll('`', '')),
  );
}

const clientRows = readRows('Errors that reach a client');
const workerRows = readRows('Errors of workers and configuration');

describe('docs/errors.md', () => {
  it('has one row per client error, with its definition', () => {
    const documented = clientRows.map((cells) => cells.slice(0, 5));
    const defined = Object.entries(CLIENT_ERRORS).map(([code, { family, status, nodeCode, nodeName }]) => [
      code,
      family,
      `${status}`,
      `${nodeCode}`,
      nodeName,
    ]);
    expect(documented.sort()).toEqual(defined.sort());
  });

  it('has one row per worker error, with its family and no status', () => {
    expect(workerRows.map((cells) => cells.length)).toEqual(workerRows.map(() => 4));
    const documented = workerRows.map((cells) => cells.slice(0, 2));
    const defined = Object.entries(WORKER_ERRORS).map(([code, { family }]) => [code, family]);
    expect(documented.sort()).toEqual(defined.sort());
  });

  it('describes the meaning of every error and what to do', () => {
    for (const cells of [...clientRows, ...workerRows]) {
      const [meaning, whatToDo] = cells.slice(-2);
      expect([cells[0], Boolean(meaning && whatToDo)]).toEqual([cells[0], true]);
    }
  });
});

describe('the error definitions', () => {
  it('give each code to clients or to workers, never to both', () => {
    const codes = [...Object.keys(CLIENT_ERRORS), ...Object.keys(WORKER_ERRORS)];
    expect(Object.keys(ERRORS).sort()).toEqual([...new Set(codes)].sort());
    expect(codes).toHaveLength(new Set(codes).size);
    expect([isErrorCode('BLOCK_GAP'), isErrorCode('toString')]).toEqual([true, false]);
  });

  it('give worker errors neither status nor node code nor node name', () => {
    for (const definition of Object.values(WORKER_ERRORS)) {
      expect(Object.keys(definition).sort()).toEqual(['family', 'what']);
    }
  });

  it('do not let the compiler accept the status of a worker error', () => {
    const error = new HistoryError('BLOCK_GAP', 'block 7 is missing');
    // @ts-expect-error: a definition of any error has no status; only clientErrorOf gives one.
    expect(error.definition.status).toBeUndefined();
    // @ts-expect-error: a worker error is no client error.
    const code: ClientErrorCode = 'BLOCK_GAP';
    expect(Object.hasOwn(CLIENT_ERRORS, code)).toBe(false);
  });
});

describe('HistoryError', () => {
  it('carries its code, its definition and whether a retry can succeed', () => {
    const error = new HistoryError('RATE_LIMITED', 'slower', { cause: 'many' });
    expect([error.code, error.message, error.cause, error.retryable]).toEqual(['RATE_LIMITED', 'slower', 'many', true]);
    expect(clientErrorOf(error).status).toBe(429);
    expect(new HistoryError('INVALID_NAME', '').retryable).toBe(false);
    expect([hasErrorCode(error, 'RATE_LIMITED'), hasErrorCode(error, 'INTERNAL'), hasErrorCode(5, 'INTERNAL')]).toEqual(
      [true, false, false],
    );
  });

  it('reaches a client as its own definition, or as UNAVAILABLE or INTERNAL when it is a worker error', () => {
    const sentFor = (code: ErrorCode) => clientErrorOf(new HistoryError(code, ''));
    for (const [code, definition] of Object.entries(CLIENT_ERRORS)) expect(sentFor(code as ErrorCode)).toBe(definition);
    expect(sentFor('BLOCK_GAP')).toBe(CLIENT_ERRORS.UNAVAILABLE);
    expect(sentFor('CONFIG_INVALID')).toBe(CLIENT_ERRORS.INTERNAL);
  });
});
