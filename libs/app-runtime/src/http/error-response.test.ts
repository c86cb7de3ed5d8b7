import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import type { Request, Response } from 'express';
import { type ErrorCode, HistoryError } from '@antelope-history/schemas';
import { createLogger } from '../logger';
import { handleErrors } from './error-response';

describe('the log lines of failed requests', () => {
  /** The entries that `count` requests write which fail with the error. */
  function entriesOf(error: Error, count = 1): Record<string, unknown>[] {
    const lines: string[] = [];
    const handle = handleErrors(createLogger('test', 'info', { write: (line) => void lines.push(line) }));
    const response = { headersSent: true, destroy: () => undefined, locals: {} } as unknown as Response;
    const request = new IncomingMessage(new Socket()) as Request;
    for (let failed = 0; failed < count; failed++) void handle(error, request, response, () => undefined);
    return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  }

  it('are errors with a stack', () => {
    expect(entriesOf(new Error('x'))).toMatchObject([
      { level: 50, msg: 'request failed', error: { code: 'INTERNAL' } },
    ]);
  });

  it('are warnings without a stack for requests above a limit, which the service refuses as it should', () => {
    const [entry] = entriesOf(new HistoryError('BUSY', 'send fewer requests at once'));
    expect(entry).toMatchObject({ level: 40, code: 'BUSY', msg: 'request refused: send fewer requests at once' });
    expect(JSON.stringify(entry)).not.toContain('stack');
  });

  it.each<ErrorCode>(['BUSY', 'STORE_UNAVAILABLE', 'INTERNAL'])('are at most ten in ten seconds: %s', (code) => {
    expect(entriesOf(new HistoryError(code, 'x'), 1_000)).toHaveLength(10);
  });

  it('do not exist for mistakes of clients and for what the service does not have', () => {
    for (const code of ['UNKNOWN_PATH', 'STATE_INCOMPLETE'] as const)
      expect(entriesOf(new HistoryError(code, 'x'))).toEqual([]);
  });
});
