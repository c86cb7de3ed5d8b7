import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { HistoryError } from '@antelope-history/schemas';
import { readConfigFile } from './config-file';

describe('readConfigFile', () => {
  let file: string;
  beforeAll(() => (file = path.join(mkdtempSync(path.join(tmpdir(), 'config-')), 'config.json')));
  afterAll(() => rmSync(path.dirname(file), { recursive: true }));

  function refusalOf(text: string): string {
    writeFileSync(file, text);
    try {
      readConfigFile(file);
    } catch (error) {
      if (error instanceof HistoryError && error.code === 'CONFIG_INVALID') return error.message;
      throw error;
    }
    throw new Error('the file was accepted');
  }

  it.each([
    ['[', /is not JSON: it is nested too deeply$/],
    ['{"a":', /is not JSON: it is nested too deeply$/],
  ])('refuses a file of 100,000 times %j with a line of text', (opening, message) => {
    expect(refusalOf(opening.repeat(100_000))).toMatch(message);
  });

  it('refuses whole JSON that is nested as deeply', () => {
    const json = `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`;
    expect(refusalOf(json)).toMatch(/nested too deeply$/);
  });

  it('refuses a file above 1 MiB', () => {
    expect(refusalOf(`{}${' '.repeat(1024 * 1024)}`)).toMatch(/has more than 1048576 bytes/);
  });

  it.each([
    ['{"gateway": {"port": 1}, "log_level": "info", "gateway": {"host": "::1"}}', 'gateway'],
    ['{"gateway": {"port": 1, "port": 2}}', 'gateway.port'],
  ])('refuses a key that is twice in %s', (text, key) => {
    expect(refusalOf(text)).toBe(`${file}: ${key} is in the file more than once`);
  });
});
