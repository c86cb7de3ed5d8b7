import { ok, wrong, type Finding } from '@antelope-history/connections/check';
import type { estypes } from '@elastic/elasticsearch';
import { FORMAT_VERSION } from '../indices/format-version';
import { indexTemplates } from '../indices/index-templates';
import type { CheckContext } from './check-requests';

/** Of the index of a range, in the place of any number. */
const SOME_RANGE = '0000000000';

/**
 * Whether templates of others take the names of our indices, of which the one with the highest priority wins. Templates of
 * ours that are missing or of another version are put when the service starts.
 */
export async function checkTemplates({ client, signal, options }: CheckContext): Promise<Finding> {
  const ours = Object.entries(indexTemplates(options.indexPrefix, options.replicas));
  const { index_templates: all } = await client.indices.getIndexTemplate({}, { signal });
  for (const [
    name,
    {
      index_patterns: [pattern = name],
      priority,
    },
  ] of ours) {
    const index = pattern.replace('*', SOME_RANGE);
    const over = all.find((other) => other.name !== name && priorityOf(other) >= priority && takes(other, index));
    if (!over) continue;
    return wrong(
      'elasticsearch.template_overridden',
      `the index template ${over.name} takes indices like ${index}, with priority ${priorityOf(over)}; ` +
        `ours, ${name}, has ${priority}`,
      `change the patterns of ${over.name} or lower its priority, or use another store.elasticsearch.index_prefix`,
    );
  }
  return ok('elasticsearch.templates', 'no other template takes the names of the indices');
}

function priorityOf({ index_template: { priority = 0 } }: estypes.IndicesGetIndexTemplateIndexTemplateItem): number {
  return priority;
}

function takes({ index_template }: estypes.IndicesGetIndexTemplateIndexTemplateItem, index: string): boolean {
  return [index_template.index_patterns].flat().some((pattern) => matches(pattern, index));
}

/** Patterns know `*` alone. */
function matches(pattern: string, name: string): boolean {
  const parts = pattern.split('*').map((part) => part.replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`).test(name);
}

/** Whether the indices that are there were made with our templates: another, or none, may have been in force. */
export async function checkIndices({ client, signal, options }: CheckContext): Promise<Finding> {
  const index = `${options.indexPrefix}-*`;
  const mappings = await client.indices.getMapping({ index }, { signal });
  const foreign = Object.entries(mappings)
    .filter(
      ([
        ,
        {
          mappings: { _meta },
        },
      ]) => _meta?.['format_version'] !== FORMAT_VERSION,
    )
    .map(([name]) => name);
  if (foreign.length === 0) {
    return ok('elasticsearch.indices', `${Object.keys(mappings).length} indices are there, made as they are to be`);
  }
  return wrong(
    'elasticsearch.index_foreign',
    `${foreign.join(', ')} not made with the index templates of this version`,
    'delete them and index again, or use another store.elasticsearch.index_prefix',
  );
}
