import { readdirSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import path from 'node:path';
import nx from '@nx/eslint-plugin';
import jsoncParser from 'jsonc-eslint-parser';
import tseslint from 'typescript-eslint';
import { depConstraints, testDepConstraints } from './module-boundaries.mjs';

const ROOT = import.meta.dirname;
const TEST_FILES = ['**/*.test.ts', '**/test/**/*.ts'];
/**
 * One program over all files when tools/run/lint.mjs lints the whole workspace. The project service opens one per project,
 * which is faster for a few files, but checks the types of shared sources and packages again for each project.
 */
const TYPE_INFORMATION = process.env.HISTORY_LINT_WORKSPACE
  ? { project: './tsconfig.lint.json' }
  : { projectService: true };

/** Folders of the projects that carry a tag in their package.json, e.g. `libs/abi` for `layer:domain`. */
function projectsTagged(tag) {
  const folders = ['apps', 'libs', 'tools'].flatMap((group) =>
    readdirSync(path.join(ROOT, group)).map((name) => `${group}/${name}`),
  );
  return folders.filter((folder) => {
    try {
      return JSON.parse(readFileSync(path.join(ROOT, folder, 'package.json'), 'utf8')).nx?.tags?.includes(tag);
    } catch (error) {
      if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return false;
      throw error;
    }
  });
}

function moduleBoundaries(constraints, options = {}) {
  return [
    'error',
    {
      depConstraints: constraints,
      banTransitiveDependencies: true,
      enforceBuildableLibDependency: true,
      allow: [],
      ...options,
    },
  ];
}

/** The domain computes: it may hash and inflate bytes, but reaches no file, socket, process, timer or clock. */
const PURE_BUILTINS = new Set(['assert', 'buffer', 'crypto', 'zlib']);
const IMPURE_BUILTINS = builtinModules
  .filter((name) => !PURE_BUILTINS.has(name.split('/')[0]))
  .flatMap((name) => (name.startsWith('node:') ? [name] : [name, `node:${name}`]));
const IMPURE_GLOBALS = ['process', 'fetch', 'WebSocket', 'setTimeout', 'setInterval', 'setImmediate'];
const DOMAIN_IS_PURE =
  'A layer:domain project is pure: take the value as an argument, or move the code to a layer:runtime or layer:adapter project.';

const EXIT = {
  object: 'process',
  property: 'exit',
  message: 'Throw, or set process.exitCode: only the runner of libs/app-runtime ends a process.',
};
const NO_TIMEOUT_IN_ANY = {
  selector:
    'CallExpression[callee.object.name="AbortSignal"][callee.property.name="any"] MemberExpression[object.name="AbortSignal"][property.name="timeout"]',
  message:
    'The collector may free the timeout before it fires (nodejs/node#57736): abort a controller with setTimeout.',
};
const NO_CLOCK = { object: 'Date', property: 'now', message: DOMAIN_IS_PURE };
const NO_PART_OF_THE_TESTS = ['describe', 'it', 'test'].flatMap((object) =>
  ['only', 'skip', 'todo'].map((property) => ({ object, property, message: 'Every test runs, always.' })),
);

export default tseslint.config(
  {
    ignores: ['**/dist/**', '**/out-tsc/**', '**/coverage/**', '**/node_modules/**', '.nx/**', 'data/**', 'samples/**'],
  },
  { linterOptions: { noInlineConfig: true, reportUnusedDisableDirectives: 'error' }, plugins: { '@nx': nx } },

  {
    files: ['**/*.ts', '**/*.tsx'],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: { parserOptions: { ...TYPE_INFORMATION, tsconfigRootDir: ROOT } },
    rules: {
      '@nx/enforce-module-boundaries': moduleBoundaries(depConstraints),
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'separate-type-imports' }],
      '@typescript-eslint/no-confusing-void-expression': [
        'error',
        { ignoreArrowShorthand: true, ignoreVoidReturningFunctions: true },
      ],
      '@typescript-eslint/no-misused-promises': ['error', { checksVoidReturn: { arguments: false } }],
      '@typescript-eslint/no-unnecessary-condition': [
        'error',
        { allowConstantLoopConditions: 'only-allowed-literals' },
      ],
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_', caughtErrors: 'all' },
      ],
      '@typescript-eslint/restrict-plus-operands': ['error', { allowNumberAndString: true }],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      // A loop bounded by the array's own length needs no second check under noUncheckedIndexedAccess.
      '@typescript-eslint/no-non-null-assertion': 'off',
      // Interfaces are written with methods and made of closures: there is no `this` to lose.
      '@typescript-eslint/unbound-method': 'off',
      // A port's method is a promise even where one adapter has nothing to wait for.
      '@typescript-eslint/require-await': 'off',
      'max-lines': ['error', { max: 400 }],
    },
  },
  {
    // Its types are those of browsers, which the program over all files has not.
    files: ['libs/web-page/**/*.ts', 'libs/web-page/**/*.tsx'],
    languageOptions: {
      parserOptions: {
        projectService: false,
        project: ['./libs/web-page/tsconfig.lib.json', './libs/web-page/tsconfig.spec.json'],
      },
    },
  },
  {
    files: ['**/*.ts', '**/*.tsx', '**/*.mjs', '**/*.cjs'],
    rules: {
      eqeqeq: 'error',
      'no-console': 'error',
      'no-restricted-properties': ['error', EXIT],
      'no-restricted-syntax': ['error', NO_TIMEOUT_IN_ANY],
      'object-shorthand': 'error',
      'prefer-const': 'error',
    },
  },
  {
    files: projectsTagged('layer:domain').map((folder) => `${folder}/src/**/*.ts`),
    ignores: TEST_FILES,
    rules: {
      'no-restricted-imports': ['error', { paths: IMPURE_BUILTINS.map((name) => ({ name, message: DOMAIN_IS_PURE })) }],
      'no-restricted-globals': ['error', ...IMPURE_GLOBALS.map((name) => ({ name, message: DOMAIN_IS_PURE }))],
      'no-restricted-properties': ['error', EXIT, NO_CLOCK],
    },
  },
  // The one timer below the adapters: they and the stages wait alike, and no other layer is common to both.
  { files: ['libs/connectivity/src/abortable-sleep.ts'], rules: { 'no-restricted-imports': 'off' } },
  { files: ['libs/app-runtime/src/program.ts'], rules: { 'no-restricted-properties': 'off' } },

  {
    files: TEST_FILES,
    rules: {
      // A test may import its own project by name, as its users do.
      '@nx/enforce-module-boundaries': moduleBoundaries(testDepConstraints, { allowCircularSelfDependency: true }),
      'no-restricted-properties': ['error', EXIT, ...NO_PART_OF_THE_TESTS],
      // Bodies of answers arrive as `any` and are asserted on field by field.
      '@typescript-eslint/no-base-to-string': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
    },
  },
  {
    files: ['*/*/package.json'],
    languageOptions: { parser: jsoncParser },
    rules: {
      '@nx/dependency-checks': [
        'error',
        // Which version is installed is npm's to check: Nx looks at the top of node_modules only.
        {
          checkVersionMismatches: false,
          // The root package.json declares the test runner for all projects; the last one is loaded by createRequire.
          ignoredDependencies: ['@jest/globals', 'supertest', '@prometheus-io/lezer-promql'],
          ignoredFiles: [
            '{projectRoot}/jest.config.cjs',
            '{projectRoot}/**/*.test.ts',
            '{projectRoot}/test/**',
            '{projectRoot}/src/contract/**',
          ],
        },
      ],
    },
  },
);
