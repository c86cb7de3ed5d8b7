import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { indexTemplates, renderTemplates, type TemplateOptions } from './index-templates';

const DEPLOY = path.join(__dirname, '../../../../deploy/elasticsearch');
const SUFFIX = '-template.json';
const NEW: TemplateOptions = { replicas: 2, layout: 'doc-values' };

describe('deploy/elasticsearch', () => {
  it('has the current index templates: npm run docs writes them', () => {
    const files = readdirSync(DEPLOY).filter((file) => file.endsWith(SUFFIX));
    const written = files.map((file) => [file.slice(0, -SUFFIX.length), readFileSync(path.join(DEPLOY, file), 'utf8')]);
    expect(Object.fromEntries(written)).toEqual(renderTemplates());
  });
});

describe('the index templates', () => {
  it('match the indices of their prefix only', () => {
    const patterns = Object.values(indexTemplates('one-chain', NEW)).flatMap(({ index_patterns }) => index_patterns);
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

  it('forbid that a late write makes an index again that was deleted, except for the journal', () => {
    const made = Object.entries(indexTemplates('history', NEW)).filter(
      ([, template]) => template.allow_auto_create !== false,
    );
    expect(made.map(([name]) => name)).toEqual(['history-journal']);
  });

  it('index the fields that queries use and no others', () => {
    for (const { template } of Object.values(indexTemplates('history', NEW))) {
      expect(template).toMatchObject({ mappings: { dynamic: false }, settings: { index: { number_of_replicas: 2 } } });
    }
  });

  it('keep the contents of actions in doc values, and in a store that an earlier version began in the source', () => {
    const mappingsOf = (layout: TemplateOptions['layout']) =>
      indexTemplates('history', { replicas: 0, layout })['history-actions']?.template.mappings;
    const { properties, ...mappings } = mappingsOf('source') ?? {};
    const contents = { type: 'keyword', index: false };
    expect(mappings).toEqual({ dynamic: false, _meta: { format_version: 1 } });
    expect(mappingsOf('doc-values')).toEqual({
      dynamic: false,
      _meta: { format_version: 2 },
      _source: { enabled: false },
      properties: {
        ...properties,
        origin: contents,
        tallied: contents,
        record: contents,
        large_record: { type: 'binary', doc_values: true },
      },
    });
  });
});
