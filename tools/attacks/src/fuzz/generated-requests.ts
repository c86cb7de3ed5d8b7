import fc from 'fast-check';
import { deflateSync, gzipSync } from 'node:zlib';
import { ROUTES } from '@antelope-history/routes';
import type { Route } from '@antelope-history/schemas';
import type { ChainFacts } from '../chain-facts';
import { createFieldTexts, type FieldTexts } from './field-texts';
import { anyText, objectText } from './json-texts';

export interface GeneratedRequest {
  path: string;
  headers: Record<string, string>;
  body: Buffer;
}

const CONTENT_TYPES = [
  'application/json',
  'text/plain',
  'application/x-www-form-urlencoded',
  'x/y; charset=utf-16',
  ';;',
];

/** Requests to every endpoint of `ROUTES`, from valid ones to random bytes. */
export function generateRequests(facts: ChainFacts): fc.Arbitrary<GeneratedRequest> {
  const fields = createFieldTexts(facts);
  return fc.constantFrom<Route>(...Object.values(ROUTES)).chain((route) =>
    fc
      .tuple(bodies(fieldsOf(route, fields)), fc.constantFrom(...CONTENT_TYPES), encodings)
      .map(([body, contentType, encode]): GeneratedRequest => {
        const { encoding, bytes } = encode(body);
        const headers: Record<string, string> = { 'content-type': contentType };
        if (encoding !== undefined) headers['content-encoding'] = encoding;
        return { path: route.path, headers, body: bytes };
      }),
  );
}

/** Values of the fields of a route's request; a field that no generator knows gets the value of the route's example. */
function fieldsOf({ request, example }: Route, known: FieldTexts): FieldTexts {
  const names = Object.keys(request.shape);
  return Object.fromEntries(names.map((name) => [name, known[name] ?? nearExample(example.request[name])]));
}

function nearExample(value: unknown): fc.Arbitrary<string> {
  return fc.oneof(
    { weight: 3, arbitrary: fc.constant(JSON.stringify(value ?? null)) },
    { weight: 1, arbitrary: anyText },
  );
}

function bodies(fields: FieldTexts): fc.Arbitrary<Buffer> {
  const names = Object.keys(fields);
  const chosenNames = fc.oneof(
    { weight: 9, arbitrary: fc.subarray(names, { minLength: Math.min(1, names.length) }) },
    { weight: 1, arbitrary: fc.constant<string[]>([]) },
  );
  const valid = chosenNames.chain((chosen) => pairsOf(chosen, fields));
  const anyName = names.length === 0 ? fc.string() : fc.oneof(fc.constantFrom(...names), fc.string());
  const pair = fc.tuple(anyName, anyText);
  const nearlyValid = fc
    .tuple(valid, fc.array(pair, { minLength: 1, maxLength: 3 }), fc.boolean())
    .map(([right, wrong, first]) => (first ? [...wrong, ...right] : [...right, ...wrong]));
  const twice = fc.tuple(valid, valid).map(([one, other]) => [...one, ...other]);
  const texts = fc.oneof(
    { weight: 16, arbitrary: valid.map(objectText) },
    { weight: 6, arbitrary: nearlyValid.map(objectText) },
    { weight: 1, arbitrary: twice.map(objectText) },
    { weight: 1, arbitrary: anyText },
  );
  return fc.oneof(
    { weight: 14, arbitrary: texts.map((text) => Buffer.from(text)) },
    { weight: 3, arbitrary: damaged(valid.map(objectText)) },
    { weight: 2, arbitrary: fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)) },
  );
}

function pairsOf(names: string[], fields: FieldTexts): fc.Arbitrary<[string, string][]> {
  const pairs = names.flatMap((name) => {
    const values = fields[name];
    return values ? [values.map((text): [string, string] => [name, text])] : [];
  });
  return fc.tuple(...pairs);
}

/** Bytes of a text with some overwritten, and cut at both ends. */
function damaged(text: fc.Arbitrary<string>): fc.Arbitrary<Buffer> {
  const change = fc.tuple(fc.nat(), fc.nat(255));
  return fc
    .tuple(text, fc.array(change, { maxLength: 4 }), fc.nat(3), fc.nat(3))
    .map(([value, changes, head, tail]) => {
      const bytes = Buffer.from(value);
      for (const [at, byte] of changes) bytes[at % bytes.length] = byte;
      return bytes.subarray(head, bytes.length - tail);
    });
}

type Encode = (body: Buffer) => { encoding: string | undefined; bytes: Buffer };

const encodings: fc.Arbitrary<Encode> = fc.oneof(
  { weight: 30, arbitrary: fc.constant<Encode>((body) => ({ encoding: undefined, bytes: body })) },
  { weight: 1, arbitrary: fc.constant<Encode>((body) => ({ encoding: 'gzip', bytes: gzipSync(body) })) },
  { weight: 1, arbitrary: fc.constant<Encode>((body) => ({ encoding: 'deflate', bytes: deflateSync(body) })) },
  // The encoding of the body differs from the header, or the encoding is unknown.
  { weight: 1, arbitrary: fc.constant<Encode>((body) => ({ encoding: 'br', bytes: gzipSync(body) })) },
  { weight: 1, arbitrary: fc.constant<Encode>((body) => ({ encoding: 'zip', bytes: body })) },
);
