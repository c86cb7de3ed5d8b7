import { readFileSync } from 'node:fs';
import path from 'node:path';
import { listConfigKeys } from './config-keys';
import { renderConfigurationDocs } from './configuration-docs';

describe('docs/configuration.md', () => {
  it('is the output of `npm run docs -w @antelope-history/app-runtime`', () => {
    const written = readFileSync(path.join(__dirname, '../../../../docs/configuration.md'), 'utf8');
    expect(written).toBe(renderConfigurationDocs());
  });

  it('describes the meaning of every key', () => {
    expect(listConfigKeys().filter(({ meaning }) => meaning === '')).toEqual([]);
  });
});

it('lists the keys of the configuration once', () => {
  expect(listConfigKeys()).toBe(listConfigKeys());
});
