import { type ConfigKey, listConfigKeys } from './config-keys';

/** The text of `docs/configuration.md`. */
export function renderConfigurationDocs(): string {
  const rows = listConfigKeys().map(renderRow);
  return `# Configuration

One JSON file, \`config.json\` in the working directory or the one that \`--config PATH\` names; a key \`a.b\` is \`{"a": {"b": …}}\`.
Environment variables go over the file; lists are written with commas between. Every key has a default, so no file is needed.
A wrong value or an unknown key stops the start with the key's name and what it takes.

This page is generated from \`libs/service/src/config/config-schema.ts\` with \`npm run docs -w @antelope-history/service\`.

| key | default | takes | meaning | environment variable |
| --- | --- | --- | --- | --- |
${rows.join('\n')}
`;
}

function renderRow({ name, variable, takes, meaning, defaultValue }: ConfigKey): string {
  const shown = defaultValue === undefined ? 'none' : `\`${JSON.stringify(defaultValue)}\``;
  return `| \`${name}\` | ${shown} | ${takes} | ${meaning} | \`${variable}\` |`;
}
