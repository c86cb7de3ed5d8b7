import { type ConfigKey, listConfigKeys } from './config-keys';
import { listRenamedKeys, type RenamedKey } from './renamed-keys';

/** The text of `docs/configuration.md`. */
export function renderConfigurationDocs(): string {
  const keys = listConfigKeys();
  return `# Configuration

The configuration is one JSON file: \`config.json\` in the working directory, or the file that \`--config PATH\` names. A key \`a.b\`
is \`{"a": {"b": …}}\` in the file. Environment variables take precedence over the file; the items of a list are separated by commas.
Every key has a default, so that no file is needed. A wrong value or an unknown key prevents the start; the message names the key and
the values that it accepts.

Every app accepts the whole configuration. An app opens the password files and CA files only of the servers that it uses:

| app | \`ship\` | \`store\` | \`broker\` | \`key_value\` |
| --- | --- | --- | --- | --- |
| reader | yes | no | yes | yes |
| deserializer | no | no | yes | yes |
| indexer | no | yes | yes | yes |
| history-api, chain-api, trace-api | no | yes | no | yes |
| gateway | no | no | no | yes |
| standalone | yes | yes | yes | yes |

Of these sections, an app opens only the files of the server that \`kind\` names.

This page is generated from \`libs/app-runtime/src/config/config-schema.ts\` with \`npm run docs -w @antelope-history/app-runtime\`.

| key | default | takes | meaning | environment variable |
| --- | --- | --- | --- | --- |
${keys.map(renderRow).join('\n')}

## Renamed keys

The former names are still read, with a warning in the log. If the file, or the environment, has both a former and its present name
with different values, the program does not start.

${listRenamedKeys(keys).map(renderRenamedKey).join('\n')}
`;
}

function renderRow({ name, variable, takes, meaning, defaultValue }: ConfigKey): string {
  const shown = defaultValue === undefined ? 'none' : `\`${JSON.stringify(defaultValue)}\``;
  return `| \`${name}\` | ${shown} | ${takes} | ${meaning} | ${variable === undefined ? 'none' : `\`${variable}\``} |`;
}

function renderRenamedKey({ former, present }: RenamedKey): string {
  return `- \`${former.name}\` (\`${former.variable}\`) is now \`${present.name}\` (\`${present.variable}\`).`;
}
