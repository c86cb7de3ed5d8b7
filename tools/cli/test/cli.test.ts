import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { runCli } from './run-cli';

describe('antelope-history', () => {
  it('teaches its commands', async () => {
    const { status, output } = await runCli('--help');
    expect(status).toBe(0);
    for (const name of ['start', 'verify', 'repair', 'backup', 'dead-letters', 'status', 'export', 'check-config'])
      expect(output).toMatch(new RegExp(`^  ${name} +\\w`, 'm'));
    expect(output).toMatch(/First steps:[^]*Exit status:/);
  });

  it.each([
    [['verfy'], 'Did you mean verify?'],
    [[], 'Usage:'],
    [['export', '--account'], "option '--account <name>' argument missing"],
    [['export'], "required option '--account <name>' not specified"],
    [['export', '--account', 'alice', '--format', 'xml'], 'Allowed choices are csv, ndjson'],
    [['status', '--jsno'], 'Did you mean --json?'],
    [['completion', 'csh'], 'Allowed choices are bash, zsh, fish'],
  ])('exits with status 2 when the command line is wrong: %j', async (args, message) => {
    const { status, errors } = await runCli(...args);
    expect([status, errors]).toEqual([2, expect.stringContaining(message)]);
  });

  it('lets no text of a service steer the terminal', async () => {
    const refusal = { error: { details: [{ message: 'wrong\u001b[2J\nCOMPLETE' }] } };
    const server = createServer((_request, response) => response.writeHead(400).end(JSON.stringify(refusal)));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const { status, errors } = await runCli('export', '--account', 'alice', '--url', url);
    server.close();
    expect([status, errors]).toEqual([2, 'INVALID_REQUEST: wrong [2J COMPLETE\n']);
  });

  it('passes the options of a program on as they are', async () => {
    const { status, output } = await runCli('verify', '--help');
    expect([status, output]).toEqual([0, expect.stringContaining('Computes the ids and roots of stored blocks')]);
    const wrong = await runCli('check-config', '--for', 'nobody', '--config', 'nowhere.json');
    expect([wrong.status, wrong.errors]).toEqual([2, expect.stringContaining('--for takes one of reader,')]);
  });

  it('completes commands and their options in bash', async () => {
    const { output } = await runCli('completion', 'bash');
    const complete = (...words: string[]): string[] => {
      const script = `${output}\nCOMP_WORDS=(antelope-history ${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length}; _antelope_history; echo "\${COMPREPLY[@]}"`;
      return execFileSync('bash', ['-c', script], { encoding: 'utf8' }).trim().split(' ');
    };
    expect(complete('st')).toEqual(['start', 'status']);
    expect(complete('export', '--f')).toEqual(['--filter', '--force', '--format', '--from']);
    expect(complete('verify', '--ch')).toEqual(['--checkpoint']);
    expect(complete('verify', 'file')).toEqual(['']);
  });

  it.each(['zsh', 'fish'])('prints a script for %s with every command', async (shell) => {
    const { status, output } = await runCli('completion', shell);
    expect(status).toBe(0);
    for (const text of ['export', 'dead-letters', 'checkpoint', 'resend']) expect(output).toContain(text);
  });
});
