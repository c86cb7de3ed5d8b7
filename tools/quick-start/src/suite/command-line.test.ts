import { StartError } from '@antelope-history/processes';
import { parseCommandLine } from './command-line';

describe('parseCommandLine', () => {
  it('defaults to the sample chain and one process of each app', () => {
    expect(parseCommandLine([])).toEqual({ port: 8888, deserializers: 1, indexers: 1, apis: 1 });
  });

  it('accepts every option', () => {
    const options = ['--port', '1', '--deserializers', '2', '--indexers=3', '--apis', '4'];
    const counts = { port: 1, deserializers: 2, indexers: 3, apis: 4 };
    expect(parseCommandLine(['--ship', 'wss://node', ...options])).toEqual({ ship: 'wss://node', ...counts });
    expect(parseCommandLine(['--recording', 'r', ...options])).toEqual({ recording: 'r', ...counts });
    expect(parseCommandLine(['--port', '0', '--help'])).toBe('help');
  });

  it.each([
    [['--indexer', '2'], /--indexer/],
    [['--indexers', '0'], /--indexers takes a number from 1 to 64/],
    [['--apis', '65'], /--apis takes/],
    [['--deserializers', 'two'], /--deserializers takes/],
    [['--port', '65536'], /--port takes a number from 1 to 65535/],
    [['--ship', 'http://a'], /--ship takes a URL like ws:/],
    [['--ship', 'ws://a', '--recording', 'b'], /exclude each other/],
  ])('rejects %j with a message that names the option', (args, message) => {
    expect(() => parseCommandLine(args)).toThrow(StartError);
    expect(() => parseCommandLine(args)).toThrow(message);
  });
});
