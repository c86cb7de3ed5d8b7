import { openSync } from 'node:fs';
import { createProcessRegistry } from './metrics';
import { createLogger } from './logger';
import { droppedLogLines, openLogOutput } from './log-output';

describe('the output of a log', () => {
  it('drops lines that a full disk does not take, and counts them', async () => {
    const before = droppedLogLines();
    const log = createLogger('test', 'info', openLogOutput(openSync('/dev/full', 'a')));
    for (let line = 0; line < 40; line++) log.info({ text: 'x'.repeat(64 * 1024) }, 'a line');
    expect(droppedLogLines() - before).toBeGreaterThan(20);
    expect(await createProcessRegistry().getSingleMetricAsString('history_log_lines_dropped_total')).toMatch(
      new RegExp(` ${droppedLogLines()}$`, 'm'),
    );
  });
});

describe('a logged error', () => {
  const logged = (error: Error): Record<string, unknown> => {
    const lines: string[] = [];
    createLogger('test', 'info', { write: (line) => void lines.push(line) }).warn({ error }, 'failed');
    return (JSON.parse(lines[0] ?? '{}') as { error: Record<string, unknown> }).error;
  };

  it('has its code, and no bytes that another server sent', () => {
    const error = Object.assign(new Error('Parse Error'), { code: 'HPE_INVALID', rawPacket: Buffer.alloc(60_000) });
    expect(logged(error)).toEqual({
      type: 'Error',
      message: 'Parse Error',
      stack: expect.stringContaining('Parse Error') as string,
      code: 'HPE_INVALID',
    });
    expect(JSON.stringify(logged(new Error('m'.repeat(100_000)))).length).toBeLessThan(20_000);
  });

  it('names the errors that it consists of', () => {
    const parts = Array.from({ length: 20 }, (_, index) => new Error(`address ${index}`));
    const { aggregateErrors } = logged(new AggregateError(parts)) as { aggregateErrors: { message: string }[] };
    expect(aggregateErrors.map(({ message }) => message)).toEqual(parts.slice(0, 8).map(({ message }) => message));
  });
});
