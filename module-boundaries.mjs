/**
 * The module boundaries, by the tags in each project's package.json (`nx.tags`). Every constraint whose tag a project carries
 * applies, and no constraint has the tag '*', so a project without a `layer:` tag may import nothing. A `layer:` tag grants
 * imports; the other tags only restrict them. `notDependOnLibsWithTags` applies to all transitive dependencies: an `app:` tag
 * states with it what an app must not contain. CONTRIBUTING.md shows this table; a test of tools/workspace-rules compares
 * the two.
 */

const STORE_CLIENTS = ['@elastic/elasticsearch*', 'lmdb*'];
const BROKER_CLIENTS = ['amqplib*'];
const KEY_VALUE_CLIENTS = ['redis*', '@redis/*', 'ioredis*'];
const CLIENTS = [...STORE_CLIENTS, ...BROKER_CLIENTS, ...KEY_VALUE_CLIENTS];
const SOCKETS = ['ws', 'ws/*'];
const HTTP = ['express*', 'http-proxy-middleware*'];
const OPERATIONS = ['pino*', 'prom-client*'];

const STAGES = ['stage:reader', 'stage:deserializer', 'stage:indexer'];
const otherStages = (name) => STAGES.filter((stage) => stage !== `stage:${name}`);

/** The constraints for sources. Globs are Nx's: `name*` matches the package and its deep paths. */
export const depConstraints = [
  {
    sourceTag: 'layer:domain',
    onlyDependOnLibsWithTags: ['layer:domain'],
    bannedExternalImports: [...CLIENTS, ...SOCKETS, ...HTTP, ...OPERATIONS],
  },
  {
    sourceTag: 'layer:port',
    onlyDependOnLibsWithTags: ['layer:domain'],
    bannedExternalImports: [...CLIENTS, ...SOCKETS, ...HTTP, ...OPERATIONS],
  },
  {
    sourceTag: 'layer:adapter',
    onlyDependOnLibsWithTags: ['layer:domain', 'layer:port'],
    bannedExternalImports: [...SOCKETS, ...HTTP, ...OPERATIONS],
  },
  // Runs in browsers: it shares types with the domain, and no code.
  {
    sourceTag: 'layer:browser',
    onlyDependOnLibsWithTags: ['layer:domain'],
    bannedExternalImports: [...CLIENTS, ...SOCKETS, ...HTTP, ...OPERATIONS, 'zod*'],
  },
  {
    sourceTag: 'layer:runtime',
    onlyDependOnLibsWithTags: ['layer:domain', 'layer:port', 'layer:runtime', 'layer:browser'],
    bannedExternalImports: CLIENTS,
  },
  {
    sourceTag: 'layer:composition',
    onlyDependOnLibsWithTags: ['layer:domain', 'layer:port', 'layer:adapter', 'layer:runtime', 'layer:composition'],
    bannedExternalImports: [...CLIENTS, ...SOCKETS, ...HTTP],
  },
  {
    sourceTag: 'layer:app',
    onlyDependOnLibsWithTags: ['layer:domain', 'layer:port', 'layer:runtime', 'layer:composition'],
    bannedExternalImports: [...CLIENTS, ...SOCKETS],
  },
  {
    sourceTag: 'layer:testing',
    onlyDependOnLibsWithTags: [],
    bannedExternalImports: [...CLIENTS, ...HTTP],
  },
  {
    sourceTag: 'layer:tool',
    onlyDependOnLibsWithTags: [
      'layer:domain',
      'layer:port',
      'layer:adapter',
      'layer:runtime',
      'layer:composition',
      'layer:testing',
      'layer:tool',
    ],
  },

  { sourceTag: 'port:store', bannedExternalImports: [...BROKER_CLIENTS, ...KEY_VALUE_CLIENTS] },
  { sourceTag: 'port:broker', bannedExternalImports: STORE_CLIENTS },
  { sourceTag: 'port:key-value', bannedExternalImports: STORE_CLIENTS },

  {
    sourceTag: 'stage:reader',
    onlyDependOnLibsWithTags: ['layer:domain', 'layer:runtime', 'port:broker', 'port:key-value'],
    notDependOnLibsWithTags: ['stage:deserializer', 'stage:indexer', 'side:read'],
    bannedExternalImports: HTTP,
  },
  {
    sourceTag: 'stage:deserializer',
    onlyDependOnLibsWithTags: ['layer:domain', 'layer:runtime', 'port:broker', 'port:key-value'],
    notDependOnLibsWithTags: ['stage:reader', 'stage:indexer', 'side:read'],
    bannedExternalImports: [...SOCKETS, ...HTTP],
  },
  {
    sourceTag: 'stage:indexer',
    onlyDependOnLibsWithTags: ['layer:domain', 'layer:runtime', 'port:broker', 'port:key-value', 'port:store'],
    notDependOnLibsWithTags: ['stage:reader', 'stage:deserializer', 'side:read'],
    bannedExternalImports: [...SOCKETS, ...HTTP],
  },
  {
    allSourceTags: ['layer:runtime', 'side:read'],
    onlyDependOnLibsWithTags: ['layer:domain', 'layer:runtime', 'layer:browser', 'port:store', 'port:key-value'],
  },
  {
    sourceTag: 'side:read',
    notDependOnLibsWithTags: ['side:write', 'stage:reader', 'stage:deserializer', 'stage:indexer'],
  },
  { sourceTag: 'side:write', notDependOnLibsWithTags: ['side:read'], bannedExternalImports: HTTP },

  { sourceTag: 'app:reader', notDependOnLibsWithTags: ['port:store', ...otherStages('reader')] },
  { sourceTag: 'app:deserializer', notDependOnLibsWithTags: ['port:store', ...otherStages('deserializer')] },
  { sourceTag: 'app:indexer', notDependOnLibsWithTags: otherStages('indexer') },
  { sourceTag: 'app:api', notDependOnLibsWithTags: ['port:broker', ...STAGES] },
  { sourceTag: 'app:gateway', notDependOnLibsWithTags: ['port:store', 'port:broker', ...STAGES] },
];

/** Tests also use recorded chains, the replaying node, and the adapters in memory in place of mocks. */
const TEST_TAGS = ['layer:testing', 'layer:tool', 'layer:adapter', 'layer:composition'];

/** The constraints for tests. */
export const testDepConstraints = depConstraints.map((constraint) =>
  constraint.onlyDependOnLibsWithTags === undefined
    ? constraint
    : {
        ...constraint,
        onlyDependOnLibsWithTags: [...new Set([...constraint.onlyDependOnLibsWithTags, ...TEST_TAGS])],
      },
);
