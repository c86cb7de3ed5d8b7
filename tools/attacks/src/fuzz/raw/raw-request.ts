import { ROUTES } from '@antelope-history/routes';
import { pick, type Random } from '@antelope-history/test-support/random';
import { frameBody } from './body-framing';

const PATHS = Object.values(ROUTES).map(({ path }) => path);
/** Bodies by path that have a response with data. */
const VALID_BODIES = new Map(
  Object.values(ROUTES).map(({ path, example }) => [path, [JSON.stringify(example.request)]]),
).set(ROUTES.getActions.path, ['{}', '{"offset":1000}']);
const METHODS = [
  'GET',
  'HEAD',
  'DELETE',
  'DELETE',
  'OPTIONS',
  'OPTIONS',
  'PUT',
  'PATCH',
  'TRACE',
  'PROPFIND',
  'CONNECT',
];
const ODD_METHODS = ['post', 'FOO', '', 'POST\u0000', 'P\tOST', 'PRI', 'M-SEARCH', 'QUERY'];
const VERSIONS = ['HTTP/1.0', 'HTTP/0.9', 'HTTP/2.0', 'HTTP/1.2', 'http/1.1', 'HTTP/1.1 ', 'HTTP', ''];
const LINE_ENDS = ['\n', '\r', '\r\r\n', '\n\r'];
const OWN_PATHS = ['/live', '/health', '/', '/docs', '/openapi.json', '/metrics', '/nowhere'];
const KIB = 1024;

/**
 * An HTTP/1 request. `marker` is in its body and in a request that is hidden there. An odd request may have errors anywhere;
 * others are well formed.
 */
export function generateRawRequest(marker: string, odd: boolean, random: Random): string {
  const end = odd && random(12) === 0 ? pick(random, LINE_ENDS) : '\r\n';
  const path = pick(random, PATHS);
  const { headers, body } = frameBody(makeBody(marker, path, random), odd, random);
  const further = Array.from({ length: random(3) }, () => pick(random, odd ? [...FURTHER, ...ODD_FURTHER] : FURTHER));
  const lines = [
    requestLine(path, odd, random),
    ...shuffled([...hostLines(odd, random), ...headers, ...further.flatMap((make) => make(random))], random),
    '',
  ];
  return lines.map((line) => line + end).join('') + body;
}

function requestLine(path: string, odd: boolean, random: Random): string {
  const method = random(2) === 0 ? 'POST' : pick(random, odd ? [...METHODS, ...ODD_METHODS] : METHODS);
  const version = odd && random(6) === 0 ? pick(random, VERSIONS) : 'HTTP/1.1';
  return `${method} ${odd && random(2) === 0 ? oddTarget(path, random) : target(path, random)} ${version}`;
}

function target(path: string, random: Random): string {
  const choice = random(12);
  if (choice === 0) return pick(random, OWN_PATHS);
  if (choice === 1) return `${path}/`;
  return choice === 2 ? `${path}?a=1&b[c]=2` : path;
}

function oddTarget(path: string, random: Random): string {
  return pick(random, [
    `http://elsewhere${path}`,
    `//elsewhere${path}`,
    path.replace('get', '%67et'),
    path.replace('/v1/', '/v1/../v1/'),
    path.replace('/v1', '/v1%2f'),
    `/v1/chain/../../producer/pause`,
    `${path}\u0000`,
    `${path} x`,
    `${path}#x`,
    '*',
    'elsewhere:80',
    `${path}?${'x'.repeat(random(20 * KIB))}`,
    path.toUpperCase(),
    '\u00ff',
    '',
  ]);
}

function hostLines(odd: boolean, random: Random): string[] {
  return odd
    ? pick(random, [['host: gateway'], ['host: gateway'], ['host:'], ['host: a', 'host: b'], []])
    : ['host: gateway'];
}

type MakeLines = (random: Random) => string[];

const FURTHER: MakeLines[] = [
  () => ['x-forwarded-for: 10.0.0.1, 1.2.3.4:5', 'cookie: a=b', 'authorization: Basic x'],
  (random) => [`accept-encoding: ${pick(random, ['gzip', 'br', 'deflate', 'identity', '*'])}`],
  (random) => [`content-encoding: ${pick(random, ['gzip', 'br', 'deflate', 'identity', 'x'])}`],
  (random) => [`x-request-id: ${pick(random, ['a', 'x'.repeat(200), '\u00e9'])}`],
  (random) => [
    `connection: ${pick(random, ['keep-alive', 'content-length', 'x-request-id, host', 'transfer-encoding'])}`,
  ],
  () => ['expect: 100-continue'],
  () => ['te: trailers', 'keep-alive: timeout=1', 'proxy-connection: keep-alive', 'http2-settings: AAAA'],
  () => ['origin: http://elsewhere', 'access-control-request-method: POST'],
];

const ODD_FURTHER: MakeLines[] = [
  (random) => [`connection: ${pick(random, ['close', 'upgrade', 'transfer-encoding, close'])}`],
  (random) => ['connection: upgrade', `upgrade: ${pick(random, ['websocket', 'h2c', 'TLS/1.0'])}`],
  () => ['expect: tea'],
  () => ['folded: a', ' b'],
  (random) => [
    pick(random, ['no colon', ': no name', 'space : x', 'nul\u0000: x', 'x: nul\u0000', 'x: \u007f', 'x\t: y']),
  ],
  (random) => [`long: ${'y'.repeat(random(20 * KIB))}`],
  (random) => Array.from({ length: random(2_500) }, (_, index) => `h${index}: v`),
];

/** The body; often another request, which no server may execute. */
function makeBody(marker: string, path: string, random: Random): string {
  const choice = random(12);
  if (choice > 7) return pick(random, VALID_BODIES.get(path) ?? []);
  if (choice < 3) return `{"marker":"${marker}"}`;
  if (choice < 6) return hiddenRequest(marker, random);
  if (choice === 6) return '';
  return `{"marker":"${marker}","long":"${'z'.repeat(random(3) === 0 ? 70 * KIB : random(2 * KIB))}"}`;
}

function hiddenRequest(marker: string, random: Random): string {
  const body = `{"hidden":"${marker}"}`;
  const method = pick(random, ['POST', 'POST', 'GET', 'DELETE']);
  return `${method} ${pick(random, [...PATHS, '/v1/producer/pause'])} HTTP/1.1\r\nhost: x\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
}

/** Half of the requests have shuffled headers: the order of two contradicting headers matters. */
function shuffled(lines: string[], random: Random): string[] {
  if (random(2) === 0) return lines;
  const rest = [...lines];
  return lines.map(() => rest.splice(random(rest.length), 1)[0]!);
}
