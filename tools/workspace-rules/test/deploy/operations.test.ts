import { existsSync } from 'node:fs';
import path from 'node:path';
import { listFiles, readText, WORKSPACE_ROOT } from '../../src';

/** The pages of those who run the service. None is longer than a person reads at once. */
const PAGES = ['installation', 'sizing', 'monitoring', 'operations', 'elasticsearch', 'rabbitmq', 'several-chains'];
const MAX_WORDS = 2_600;
const texts = PAGES.map((page) => readText(`docs/${page}.md`));
const page = texts.join('\n');

describe('the pages of operators', () => {
  it('describes every existing metric and no other', () => {
    const sources = ['libs', 'apps']
      .flatMap(listFiles)
      .filter((file) => /\/src\/.*\.ts$/.test(file) && !/\.test\.ts$|node_modules|\/dist\//.test(file));
    const made = sources.flatMap((file) => [...readText(file).matchAll(/'((?:history|http)_[a-z]+_[a-z_]+)'/g)]);
    const metrics = new Set(made.map(([, name = '']) => name).filter((name) => !CONFIG_KEYS.test(name)));
    const rows = [...page.matchAll(/^\| `((?:history|http)_[a-z_]+)`/gm)].map(([, name = '']) => name);
    expect(rows.sort()).toEqual([...metrics].sort());
  });

  it('names existing files and commands only', () => {
    const files = [...page.matchAll(/`((?:apps|deploy|docs|tools)\/[\w./-]+)`/g)].map(([, file = '']) => file);
    expect(files.length).toBeGreaterThan(10);
    expect(files.filter((file) => !existsSync(path.join(WORKSPACE_ROOT, file)))).toEqual([]);
    const { scripts } = JSON.parse(readText('package.json')) as { scripts: Record<string, string> };
    const commands = [...page.matchAll(/npm run ([a-z:-]+)/g)].map(([, name = '']) => name);
    expect(commands.filter((name) => !scripts[name])).toEqual([]);
  });

  it('are listed with their readers, and the first is linked from the README', () => {
    const index = readText('docs/README.md');
    expect(PAGES.filter((each) => !index.includes(`](${each}.md)`))).toEqual([]);
    expect(readText('README.md')).toContain('](docs/installation.md)');
  });

  it.each(PAGES)('are short enough: %s', (name) => {
    expect(readText(`docs/${name}.md`).split(/\s+/).length).toBeLessThan(MAX_WORDS);
  });
});

/** Names of configuration keys, such as `history_api`. */
const CONFIG_KEYS = /_api(_url|_port)?$|_writer$|_reader$/;
