import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { indexTemplates, renderTemplates } from './index-templates';

const DEPLOY = path.join(__dirname, '../../../../deploy/elasticsearch');
const SUFFIX = '-template.json';

describe('deploy/elasticsearch', () => {
  it('has the current index templates: npm run docs writes them', () => {
    const files = readdirSync(DEPLOY).filter((file) => file.endsWith(SUFFIX));
    const written = files.map((file) => [file.slice(0, -SUFFIX.length), readFileSync(path.join(DEPLOY, file), 'utf8')]);
    expect(Object.fromEntries(written)).toEqual(renderTemplates());
  });
});

describe('the index templates', () => {
  it('match the indices of their prefix only', () => {
    const patterns = Object.values(indexTemplates('one-chain', 2)).flatMap(({ index_patterns }) => index_patterns);
    expect(patterns.sort()).toEqual([
      'one-chain-abis',
      'one-chain-actions-*',
      'one-chain-blocks-*',
      'one-chain-bodies-*',
      'one-chain-directory-*',
      'one-chain-journal',
      'one-chain-permissions',
      'one-chain-progress',
    ]);
  });

  it('index the fields that queries use and no others', () => {
    for (const { template } of Object.values(indexTemplates('history', 2))) {
      expect(template).toMatchObject({ mappings: { dynamic: false }, settings: { index: { number_of_replicas: 2 } } });
    }
  });
});
