import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { WORKSPACE_ROOT } from '../src';

const BOUNDARIES = '@nx/enforce-module-boundaries';

interface LintCase {
  title: string;
  /** An existing file that the text replaces. */
  file: string;
  text: string;
  /** The rule that must report an error; undefined when no rule may. */
  rule?: string;
  message?: RegExp;
}

const imports = (name: string): string => `import * as imported from '${name}';\nexport const value = imported;\n`;

const CASES: LintCase[] = [
  {
    title: 'the domain importing the domain',
    file: 'libs/records/src/index.ts',
    text: imports('@antelope-history/abi'),
  },
  {
    title: 'the domain importing a port',
    file: 'libs/abi/src/index.ts',
    text: imports('@antelope-history/key-value'),
    rule: BOUNDARIES,
    message: /tagged with "layer:domain" can only depend on libs tagged with "layer:domain"/,
  },
  {
    title: 'the domain importing a client of a store',
    file: 'libs/abi/src/index.ts',
    text: imports('lmdb'),
    rule: BOUNDARIES,
    message: /"layer:domain" is not allowed to import "lmdb"/,
  },
  {
    title: 'the domain importing a package that it does not declare',
    file: 'libs/abi/src/index.ts',
    text: imports('semver'),
    rule: BOUNDARIES,
    message: /Only packages defined in the "package.json" can be imported/,
  },
  {
    title: 'the domain reading files',
    file: 'libs/abi/src/index.ts',
    text: imports('node:fs/promises'),
    rule: 'no-restricted-imports',
    message: /layer:domain project is pure/,
  },
  {
    title: 'the domain reading the environment',
    file: 'libs/abi/src/index.ts',
    text: 'export const home = process.env;\n',
    rule: 'no-restricted-globals',
    message: /layer:domain project is pure/,
  },
  {
    title: 'the domain reading the clock',
    file: 'libs/asc-window-guard/src/index.ts',
    text: 'export const now = Date.now();\n',
    rule: 'no-restricted-properties',
    message: /take the value as an argument/,
  },
  {
    title: 'the domain hashing',
    file: 'libs/abi/src/index.ts',
    text: imports('node:crypto'),
  },
  {
    title: 'a port importing an adapter of it',
    file: 'libs/store/src/index.ts',
    text: imports('@antelope-history/store-lmdb/reader'),
    rule: BOUNDARIES,
    message: /"layer:port" can only depend on libs tagged with "layer:domain"|Circular dependency/,
  },
  {
    title: 'the reading side importing the broker',
    file: 'libs/endpoint-kit/src/index.ts',
    text: imports('@antelope-history/broker'),
    rule: BOUNDARIES,
    message: /"layer:runtime" and "side:read"|can only depend on libs tagged with .*"port:store", "port:key-value"/,
  },
  {
    title: 'the reading side importing a stage',
    file: 'libs/endpoint-kit/src/index.ts',
    text: imports('@antelope-history/indexer-stage'),
    rule: BOUNDARIES,
    message: /can not depend on libs tagged with .*"stage:indexer"/,
  },
  {
    title: 'the domain opening sockets',
    file: 'libs/ship/src/index.ts',
    text: imports('ws'),
    rule: BOUNDARIES,
    message: /"layer:domain" is not allowed to import "ws"/,
  },
  {
    title: 'the reader importing the store',
    file: 'libs/reader-stage/src/index.ts',
    text: imports('@antelope-history/store'),
    rule: BOUNDARIES,
    message: /"stage:reader" can only depend on libs tagged with/,
  },
  {
    title: 'the deserializer importing the store',
    file: 'libs/deserializer-stage/src/index.ts',
    text: imports('@antelope-history/store'),
    rule: BOUNDARIES,
    message: /"stage:deserializer" can only depend on libs tagged with/,
  },
  {
    title: 'the indexer importing the store',
    file: 'libs/indexer-stage/src/index.ts',
    text: imports('@antelope-history/store'),
  },
  {
    title: 'a stage importing an adapter',
    file: 'libs/indexer-stage/src/index.ts',
    text: imports('@antelope-history/store-lmdb/reader'),
    rule: BOUNDARIES,
    message: /"layer:runtime" can only depend on libs tagged with/,
  },
  {
    title: 'the gateway reaching a store',
    file: 'apps/gateway/src/main.ts',
    text: imports('@antelope-history/open-store-reader'),
    rule: BOUNDARIES,
    message: /"app:gateway" can not depend on libs tagged with .*"port:store"/,
  },
  {
    title: 'the gateway reaching a broker and a socket through a stage',
    file: 'apps/gateway/src/main.ts',
    text: imports('@antelope-history/reader-stage'),
    rule: BOUNDARIES,
    message: /can not depend on libs tagged with .*"stage:reader"/,
  },
  {
    title: 'an API reaching a broker',
    file: 'apps/chain-api/src/main.ts',
    text: imports('@antelope-history/open-broker'),
    rule: BOUNDARIES,
    message: /"app:api" can not depend on libs tagged with .*"port:broker"/,
  },
  {
    title: 'an API reaching the write side of a store',
    file: 'apps/chain-api/src/main.ts',
    text: imports('@antelope-history/open-store-writer'),
    rule: BOUNDARIES,
    message: /"side:read" can not depend on libs tagged with .*"side:write"/,
  },
  {
    title: 'the reader reaching a store',
    file: 'apps/reader/src/main.ts',
    text: imports('@antelope-history/open-store-writer'),
    rule: BOUNDARIES,
    message: /"app:reader" can not depend on libs tagged with .*"port:store"/,
  },
  {
    title: 'an app importing an adapter',
    file: 'apps/standalone/src/main.ts',
    text: imports('@antelope-history/store-lmdb/reader'),
    rule: BOUNDARIES,
    message: /"layer:app" can only depend on libs tagged with/,
  },
  {
    title: 'sources importing recorded chains',
    file: 'libs/ship/src/index.ts',
    text: imports('@antelope-history/test-support/recordings'),
    rule: BOUNDARIES,
    message: /"layer:domain" can only depend on libs tagged with "layer:domain"/,
  },
  {
    title: 'tests importing recorded chains',
    file: 'libs/abi/src/name.test.ts',
    text: imports('@antelope-history/test-support/recordings'),
  },
  {
    title: 'ending the process outside the runner',
    file: 'libs/endpoint-kit/src/index.ts',
    text: 'export const end = (): void => process.exit(1);\n',
    rule: 'no-restricted-properties',
    message: /only the runner of libs\/app-runtime ends a process/,
  },
  {
    title: 'disabling a rule in the code',
    file: 'libs/endpoint-kit/src/index.ts',
    text: '/* eslint-disable no-console */\nconsole.log(1);\nexport {};\n',
    rule: 'no-console',
    message: /Unexpected console statement/,
  },
  {
    title: 'the type any',
    file: 'libs/endpoint-kit/src/index.ts',
    text: 'export const value: any = 1;\n',
    rule: '@typescript-eslint/no-explicit-any',
    message: /Unexpected any/,
  },
  {
    title: 'a test that never runs',
    file: 'libs/abi/src/name.test.ts',
    text: "it.skip('is skipped', () => undefined);\n",
    rule: 'no-restricted-properties',
    message: /Every test runs/,
  },
  {
    title: 'using a project without declaring it',
    file: 'libs/store-lmdb/package.json',
    text: '{ "name": "@antelope-history/store-lmdb", "dependencies": { "lmdb": "*" } }\n',
    rule: '@nx/dependency-checks',
    message: /missing from "dependencies":[^]*@antelope-history\/store/,
  },
];

const RULES_HERE = [
  BOUNDARIES,
  '@nx/dependency-checks',
  'no-restricted-imports',
  'no-restricted-globals',
  'no-restricted-properties',
];

describe('lint', () => {
  let found: { ruleId: string | null; message: string }[][] = [];

  beforeAll(() => {
    const script = path.join(WORKSPACE_ROOT, 'tools/workspace-rules/lint-cases.mjs');
    const input = JSON.stringify(CASES.map(({ file, text }) => ({ file, text })));
    found = JSON.parse(execFileSync(process.execPath, [script, input], { encoding: 'utf8' })) as typeof found;
  }, 180_000);

  it.each(CASES.map((lintCase, index) => ({ ...lintCase, index })))('$title', ({ index, rule, message }) => {
    const messages = found[index] ?? [];
    if (rule === undefined) {
      expect(messages.filter(({ ruleId }) => ruleId !== null && RULES_HERE.includes(ruleId))).toEqual([]);
    } else {
      expect(messages).toContainEqual({ ruleId: rule, message: expect.stringMatching(message ?? /./) as string });
    }
  });
});
