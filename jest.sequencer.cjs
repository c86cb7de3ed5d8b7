const { default: Sequencer } = require('@jest/test-sequencer');

/**
 * The suites that take longest, longest first. They start first, so that none of them is still running alone at the end.
 * Jest knows durations only from earlier runs on the same machine, and otherwise goes by the size of the files.
 */
const LONGEST = [
  'libs/store-elasticsearch/test/store-contract.test.ts',
  'tools/conformance/test/embedded.test.ts',
  'tools/conformance/test/distributed.test.ts',
  'tools/store-maintenance/test/repair-elasticsearch.test.ts',
  'libs/store-elasticsearch/test/faults.test.ts',
  'tools/store-maintenance/test/migrate-elasticsearch.test.ts',
  'libs/store-elasticsearch/test/migrate.test.ts',
  'tools/store-maintenance/test/snapshot-killed.test.ts',
  'tools/store-maintenance/test/paused-elasticsearch.test.ts',
  'libs/store-elasticsearch/test/action-depth.test.ts',
  'apps/e2e/test/clients.test.ts',
  'tools/simulate/src/seeds/distributed-seeds.test.ts',
  'tools/simulate/src/seeds/embedded-seeds.test.ts',
  'libs/broker-rabbitmq/test/rabbitmq-outages.test.ts',
  'apps/e2e/test/secured-suite.test.ts',
  'tools/quick-start/test/quick-start.test.ts',
  'apps/e2e/test/page.test.ts',
  'tools/simulate/src/suite-faults.test.ts',
  'libs/store-elasticsearch/test/commits.test.ts',
  'libs/store-elasticsearch/test/large-results.test.ts',
  'apps/standalone/test/forks.test.ts',
  'libs/store-elasticsearch/test/branches.test.ts',
  'libs/store-elasticsearch/test/secured-elasticsearch.test.ts',
  'libs/store-elasticsearch/test/incomplete-results.test.ts',
  'libs/store-lmdb/test/store-contract.test.ts',
  'apps/e2e/test/leap-edge.test.ts',
  'libs/broker-rabbitmq/test/rabbitmq-access.test.ts',
  'tools/quick-start/test/suite-command.test.ts',
  'tools/processes/test/two-machines.test.ts',
];

/** Jest's own order, but with the longest suites in front. */
class LongestFirst extends Sequencer {
  sort(tests) {
    const rank = ({ path }) => {
      const index = LONGEST.findIndex((file) => path.endsWith(`/${file}`));
      return index < 0 ? LONGEST.length : index;
    };
    // The sort is stable: all others keep the order that Jest gives them.
    return [...super.sort(tests)].sort((left, right) => rank(left) - rank(right));
  }
}

module.exports = LongestFirst;
module.exports.LONGEST = LONGEST;
