import { StartError } from '@antelope-history/processes';
import { parseCommandLine } from './command-line';

describe('parseCommandLine', () => {
  it('defaults to the sample chain', () => {
    expect(parseCommandLine([])).toEqual({});
  });

  it('accepts every option', () => {
    expect(parseCommandLine(['--ship', 'wss://node:443/', '--port', '8889', '--data', 'd', '--config', 'c'])).toEqual({
      ship: 'wss://node:443/',
      port: 8889,
      data: 'd',
      config: 'c',
    });
    expect(parseCommandLine(['--host', '0.0.0.0', '--ops-port', '8890'])).toEqual({ host: '0.0.0.0', opsPort: 8890 });
    expect(parseCommandLine(['--recording=r'])).toEqual({ recording: 'r' });
    expect(parseCommandLine(['--help', '--port', '1'])).toBe('help');
  });

  it.each([
    [['--shipp', 'x'], /--shipp/],
    [['extra'], /extra/],
    [['--port'], /--port/],
    [['--port', '0'], /--port takes a number from 1 to 65535/],
    [['--port', '65536'], /--port takes/],
    [['--port', '80x'], /--port takes/],
    [['--ops-port', '0'], /--ops-port takes a number/],
    [['--ship', 'http://127.0.0.1:8888'], /--ship takes a URL like ws:/],
    [['--ship', 'ws://a', '--recording', 'b'], /exclude each other/],
  ])('rejects %j with a message that names the option', (args, message) => {
    expect(() => parseCommandLine(args)).toThrow(StartError);
    expect(() => parseCommandLine(args)).toThrow(message);
  });
});
