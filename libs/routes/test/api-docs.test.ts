import { readFileSync } from 'node:fs';
import path from 'node:path';
import { renderApiDocs } from '@antelope-history/openapi/api-docs';
import { ROUTES } from '../src';

describe('docs/api.md', () => {
  const written = readFileSync(path.join(__dirname, '../../../docs/api.md'), 'utf8');

  it('is what `npm run docs` generates', () => {
    expect(written).toBe(renderApiDocs(ROUTES));
  });

  it.each(Object.values(ROUTES))('shows the example of $path as JSON', ({ path: at, example }) => {
    const [, section = ''] = written.split(`\n## \`${at}\`\n`);
    const [, shown = ''] = /```json\n([^`]+)```/.exec(section) ?? [];
    expect(JSON.parse(shown)).toEqual(example.response);
  });

  it.each(Object.values(ROUTES))('describes every request field of $path', ({ path: at, request }) => {
    const [, section = ''] = written.split(`\n## \`${at}\`\n`);
    for (const name of Object.keys(request.shape)) {
      const row = section.split('\n').find((line) => line.startsWith(`| \`${name}\` |`));
      expect(row).toMatch(/^\| `\w+` \| [^|]+ \| [^|]+ \| [^|]+ \|$/);
    }
  });
});
