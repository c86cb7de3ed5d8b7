import { readFileSync } from 'node:fs';
import path from 'node:path';
import { listConfigKeys } from './config-keys';
import { renderConfigurationDocs } from './configuration-docs';

describe('docs/configuration.md', () => {
  it('is what `npm run docs -w @antelope-history/service` generates', () => {
    const written = readFileSync(path.join(__dirname, '../../../../docs/configuration.md'), 'utf8');
    expect(written).toBe(renderConfigurationDocs());
  });

  it('says of every key what it means', () => {
    expect(listConfigKeys().filter(({ meaning }) => meaning === '')).toEqual([]);
  });
});
