import type { ActionLayout } from './documents';
import { DOC_VALUES_MAPPING_VERSION, MAPPING_VERSION } from './format-version';
import { IndexNames, RANGED_KINDS, type DocumentKind, type RangedKind } from './index-names';

/*
 * How documents are indexed. `dynamic: false`: a field that is not listed here is in `_source` only. Terms without doc values
 * can be searched; numbers with doc values can be sorted as well, and only be returned if they are not indexed.
 */

const TERM = { type: 'keyword', doc_values: false } as const;
const SORTABLE_TERM = { type: 'keyword' } as const;
const RETURNED_TERM = { type: 'keyword', index: false } as const;
const FLAG = { type: 'boolean', doc_values: false } as const;
const INTEGER = { type: 'integer', doc_values: false } as const;
const SORTABLE_INTEGER = { type: 'integer' } as const;
const SORTABLE_LONG = { type: 'long' } as const;
const RETURNED_INTEGER = { type: 'integer', index: false } as const;
const RETURNED_LONG = { type: 'long', index: false } as const;
const RETURNED_BYTES = { type: 'binary', doc_values: true } as const;

type Field =
  | typeof TERM
  | typeof SORTABLE_TERM
  | typeof RETURNED_TERM
  | typeof FLAG
  | typeof INTEGER
  | typeof SORTABLE_INTEGER
  | typeof SORTABLE_LONG
  | typeof RETURNED_INTEGER
  | typeof RETURNED_LONG
  | typeof RETURNED_BYTES;

/** Above the priorities 100 and 200 of the templates that come with a server. */
const PRIORITY = 500;
/** Queries list the ids of reversible blocks: this many exist when finality stalls for days. */
const MAX_TERMS = 1_000_000;

const FIELDS: Record<DocumentKind, Record<string, Field>> = {
  actions: {
    block_num: INTEGER,
    block: TERM,
    sequence: SORTABLE_LONG,
    accounts: TERM,
    contract: TERM,
    name: TERM,
    root: FLAG,
    data: TERM,
    authorizers: TERM,
    further_traces: SORTABLE_INTEGER,
  },
  blocks: {
    block_num: SORTABLE_INTEGER,
    block: TERM,
    timestamp: SORTABLE_INTEGER,
    first_sequence: SORTABLE_LONG,
    end_sequence: SORTABLE_LONG,
    has_block: FLAG,
  },
  bodies: { block_num: SORTABLE_INTEGER, block: TERM, transactions: TERM },
  abis: {
    block_num: SORTABLE_INTEGER,
    block: TERM,
    account: SORTABLE_TERM,
    sequence: SORTABLE_LONG,
    hash: SORTABLE_TERM,
  },
  permissions: {
    block_num: SORTABLE_INTEGER,
    block: TERM,
    owner: SORTABLE_TERM,
    name: SORTABLE_TERM,
    keys: TERM,
    actors: TERM,
  },
  journal: { session: SORTABLE_LONG, ordinal: SORTABLE_LONG, first: FLAG },
  progress: {},
  directory: {
    range: SORTABLE_INTEGER,
    ids: TERM,
    first_sequence: RETURNED_LONG,
    sequence_count: RETURNED_INTEGER,
  },
};

/** The contents of actions in the layout `doc-values`. */
const CONTENTS = {
  origin: RETURNED_TERM,
  tallied: RETURNED_TERM,
  record: RETURNED_TERM,
  large_record: RETURNED_BYTES,
};

/** Fields that are not part of the stored source: a range has millions of ids. */
const NOT_STORED: Partial<Record<DocumentKind, string[]>> = {
  bodies: ['transactions'],
  directory: ['ids', 'first_sequence', 'sequence_count'],
};

/** Settings of single kinds. */
const SETTINGS: Partial<Record<DocumentKind, Record<string, unknown>>> = {
  // Most queries ask for the newest actions first and stop after a page.
  actions: { 'sort.field': 'sequence', 'sort.order': 'desc' },
  // The journal is small, and its searches tolerate this delay.
  journal: { refresh_interval: '1s' },
};

export interface IndexTemplate {
  index_patterns: string[];
  priority: number;
  allow_auto_create?: false;
  template: {
    settings: Record<string, unknown>;
    mappings: {
      dynamic: false;
      _meta: { format_version: number };
      _source?: { excludes: string[] } | { enabled: false };
      properties: Record<string, Field>;
    };
  };
  _meta: { description: string; format_version: number };
}

export interface TemplateOptions {
  /** Copies of each index. */
  replicas: number;
  layout: ActionLayout;
}

/** The composable index templates of one prefix, by name. */
export function indexTemplates(prefix: string, { replicas, layout }: TemplateOptions): Record<string, IndexTemplate> {
  const names = new IndexNames(prefix);
  const kinds = Object.keys(FIELDS) as DocumentKind[];
  return Object.fromEntries(
    kinds.map((kind) => [names.of(kind), templateOf(kind, names.of(kind), replicas, contentsOf(kind, layout))]),
  );
}

/** How the contents of a kind's documents are kept. */
interface KindContents {
  mappingVersion: number;
  source?: IndexTemplate['template']['mappings']['_source'];
  fields: Record<string, Field>;
}

function contentsOf(kind: DocumentKind, layout: ActionLayout): KindContents {
  if (kind === 'actions' && layout === 'doc-values') {
    const fields = { ...FIELDS.actions, ...CONTENTS };
    return { mappingVersion: DOC_VALUES_MAPPING_VERSION, source: { enabled: false }, fields };
  }
  const excludes = NOT_STORED[kind];
  return { mappingVersion: MAPPING_VERSION, ...(excludes && { source: { excludes } }), fields: FIELDS[kind] };
}

/** The templates of the default configuration as files, by name, for operators who install them by hand. */
export function renderTemplates(): Record<string, string> {
  const templates = Object.entries(indexTemplates('history', { replicas: 1, layout: 'doc-values' }));
  return Object.fromEntries(templates.map(([name, template]) => [name, `${JSON.stringify(template, undefined, 2)}\n`]));
}

function templateOf(
  kind: DocumentKind,
  name: string,
  replicas: number,
  { mappingVersion, source, fields }: KindContents,
): IndexTemplate {
  const isInManyIndices = kind === 'directory' || RANGED_KINDS.includes(kind as RangedKind);
  return {
    index_patterns: [isInManyIndices ? `${name}-*` : name],
    priority: PRIORITY,
    // A process that was suspended must not bring back an index that was deleted since. The journal is made anew.
    ...(kind !== 'journal' && { allow_auto_create: false }),
    template: {
      settings: {
        index: {
          number_of_shards: 1,
          number_of_replicas: replicas,
          codec: 'best_compression',
          // Committers refresh explicitly: no search needs documents before that.
          refresh_interval: '-1',
          max_terms_count: MAX_TERMS,
          ...SETTINGS[kind],
        },
      },
      mappings: {
        dynamic: false,
        _meta: { format_version: mappingVersion },
        ...(source && { _source: source }),
        properties: fields,
      },
    },
    _meta: { description: 'Antelope History', format_version: mappingVersion },
  };
}
