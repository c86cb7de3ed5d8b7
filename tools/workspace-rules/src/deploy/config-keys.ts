import { readText } from './deploy-files';

/** Names of keys, such as `api.limits.get_actions`, and their environment variables. */
export interface ConfigNames {
  keys: Set<string>;
  variables: Set<string>;
}

/** All configuration keys and variables, from the page that is generated from the schema. */
export function readConfigNames(): ConfigNames {
  // NAME stands for the name of a chain; the keys below it have no variables.
  const row = /^\| `([a-z_.]+(?:\.NAME[a-z_.]*)?)` \|.*\| (?:`(HISTORY_[A-Z_]+)`|none) \|$/gm;
  const rows = [...readText('docs/configuration.md').matchAll(row)];
  return {
    keys: new Set(rows.map(([, key = '']) => key)),
    variables: new Set(rows.flatMap(([, , variable]) => variable ?? [])),
  };
}

/** The words of a text that look like configuration keys or variables but do not exist. */
export function findUnknownNames(text: string, { keys, variables }: ConfigNames): string[] {
  const sections = new Set([...keys].filter((key) => key.includes('.')).map((key) => key.split('.')[0] ?? ''));
  const prefixes = new Set(
    [...keys].flatMap((key) => key.split('.').map((_, end, parts) => parts.slice(0, end + 1).join('.'))),
  );
  const named = [...text.matchAll(/(?<![\w./@-])([a-z_]+)\.([a-z_]+(?:\.[a-z_]+)*)(?![\w/-])/g)]
    .filter(([, section = '', rest = '']) => sections.has(section) && !FILE_ENDING.test(rest))
    .map(([name]) => name);
  const set = [...text.matchAll(/\bHISTORY_[A-Z][A-Z_]*[A-Z]\b/g)].map(([name]) => name);
  return [
    ...named.filter((name) => !prefixes.has(name)),
    ...set.filter((name) => !variables.has(name) && !FOR_TESTS.test(name)),
  ];
}

const FILE_ENDING = /^(ya?ml|json|md|ts|internal)$/;
/** Variables of the tests: `tools/servers`. */
const FOR_TESTS = /^HISTORY_TEST_/;
