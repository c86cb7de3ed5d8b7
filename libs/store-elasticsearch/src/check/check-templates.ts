import { ok, wrong, type Finding } from '@antelope-history/connectivity/check';
import type { estypes } from '@elastic/elasticsearch';
import { DOC_VALUES_MAPPING_VERSION, MAPPING_VERSION } from '../indices/format-version';
import { IndexNames } from '../indices/index-names';
import { indexTemplates } from '../indices/index-templates';
import type { CheckContext } from './check-requests';

const MAPPING_VERSIONS = new Set<unknown>([MAPPING_VERSION, DOC_VALUES_MAPPING_VERSION]);
/** An example of the number in a ranged index's name. */
const SOME_RANGE = '0000000000';

/**
 * Checks that no foreign template with the same or a higher priority matches the names of our indices. Our own templates are
 * put when the service starts.
 */
export async function checkTemplates({ client, signal, options }: CheckContext): Promise<Finding> {
  const ours = Object.entries(
    indexTemplates(options.indexPrefix, { replicas: options.replicas, layout: 'doc-values' }),
  );
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
      `the index template ${over.name} matches indices like ${index}, with priority ${priorityOf(over)}; ` +
        `ours, ${name}, has ${priority}`,
      `change the patterns of ${over.name} or lower its priority, or use another store.elasticsearch.index_prefix`,
    );
  }
  return ok('elasticsearch.templates', 'no other template matches the names of the indices');
}

function priorityOf({ index_template: { priority = 0 } }: estypes.IndicesGetIndexTemplateIndexTemplateItem): number {
  return priority;
}

function takes({ index_template }: estypes.IndicesGetIndexTemplateIndexTemplateItem, index: string): boolean {
  return [index_template.index_patterns].flat().some((pattern) => matches(pattern, index));
}

/** The only wildcard of patterns is `*`. */
function matches(pattern: string, name: string): boolean {
  const parts = pattern.split('*').map((part) => part.replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`).test(name);
}

/** Checks that the existing indices were created with our templates. */
export async function checkIndices({ client, signal, options }: CheckContext): Promise<Finding> {
  const index = new IndexNames(options.indexPrefix).pattern;
  const mappings = await client.indices.getMapping({ index }, { signal });
  const foreign = Object.entries(mappings)
    .filter(
      ([
        ,
        {
          mappings: { _meta },
        },
      ]) => !MAPPING_VERSIONS.has(_meta?.['format_version']),
    )
    .map(([name]) => name);
  if (foreign.length === 0) {
    return ok(
      'elasticsearch.indices',
      `${Object.keys(mappings).length} indices exist, all of them made with the templates of this version`,
    );
  }
  return wrong(
    'elasticsearch.index_foreign',
    `${foreign.join(', ')} not made with the index templates of this version`,
    'delete them and index again, or use another store.elasticsearch.index_prefix',
  );
}
