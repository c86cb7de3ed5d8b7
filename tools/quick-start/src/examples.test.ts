import { execFileSync } from 'node:child_process';
import { toCurl } from './examples';

describe('the line for a shell', () => {
  /** The arguments that a shell passes to the command of a line. */
  const argumentsOf = (line: string): string[] =>
    execFileSync('sh', ['-c', line.replace(/^curl/, `printf '%s\\n'`)], { encoding: 'utf8' })
      .trimEnd()
      .split('\n');

  it.each(['http://127.0.0.1:8888', 'http://[::1]:8888'])('sends the body to the path: %s', (url) => {
    const body = { account_name: `it's` };
    const line = toCurl(url, { path: '/v1/history/get_actions', body });
    expect(argumentsOf(line)).toEqual(['-s', `${url}/v1/history/get_actions`, '-d', JSON.stringify(body)]);
  });

  it('quotes the brackets of an address, which some shells take for a pattern', () => {
    expect(toCurl('http://[::1]:8888', { path: '/x', body: {} })).toBe(`curl -s 'http://[::1]:8888/x' -d '{}'`);
  });
});
