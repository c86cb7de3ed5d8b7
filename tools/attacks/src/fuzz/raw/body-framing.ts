import { pick, type Random } from '@antelope-history/test-support/random';

export interface FramedBody {
  headers: string[];
  body: string;
}

/** The framing of a body: `content-length` or chunks; odd framing is neither, or both. */
export function frameBody(body: string, odd: boolean, random: Random): FramedBody {
  const choice = random(odd ? 16 : 9);
  if (choice < 4) return { headers: [`content-length: ${body.length}`], body };
  if (choice < 9)
    return { headers: ['transfer-encoding: chunked'], body: chunked(body, random, odd && random(2) === 0) };
  if (choice === 9) return { headers: [], body };
  if (choice < 12) return { headers: wrongLengths(body.length, random), body };
  if (choice === 12) return { headers: oddEncodings(random), body: chunked(body, random, false) };
  const length = pick(random, [body.length, 0, 5, chunked(body, random, false).length]);
  const headers = [`content-length: ${length}`, ...oddEncodings(random)];
  return { headers, body: random(2) === 0 ? body : chunked(body, random, false) };
}

function wrongLengths(length: number, random: Random): string[] {
  const values = [
    [length + 5],
    [Math.max(0, length - 5)],
    [`+${length}`],
    ['-1'],
    [`0x${length.toString(16)}`],
    [`${length} ${length}`],
    [`${length},${length}`],
    [`${length}, 0`],
    ['18446744073709551616'],
    ['9'.repeat(40)],
    [''],
    [length, length],
    [length, 0],
    [0, length],
    [`0${length}`],
    [`${length};`],
    [`\u00a0${length}`],
  ];
  const names = ['content-length', 'Content-Length', 'content-length ', 'content_length'];
  const name = random(4) === 0 ? pick(random, names) : 'content-length';
  return pick(random, values).map((value) => `${name}: ${value}`);
}

function oddEncodings(random: Random): string[] {
  return pick(random, [
    ['transfer-encoding: chunked'],
    ['Transfer-Encoding: Chunked'],
    ['transfer-encoding: chunked, identity'],
    ['transfer-encoding: identity, chunked'],
    ['transfer-encoding: identity'],
    ['transfer-encoding: gzip, chunked'],
    ['transfer-encoding: xchunked'],
    ['transfer-encoding:\tchunked\t'],
    ['transfer-encoding:\u000bchunked'],
    ['transfer-encoding: chunked', 'transfer-encoding: identity'],
    ['transfer-encoding: identity', 'transfer-encoding: chunked'],
    ['transfer-encoding: chunked', 'transfer-encoding: chunked'],
    ['transfer-encoding:', ' chunked'],
    ['transfer-encoding : chunked'],
    ['transfer_encoding: chunked'],
    ['transfer-encoding: "chunked"'],
    ['transfer-encoding: chunked;q=1'],
    ['connection: transfer-encoding', 'transfer-encoding: chunked'],
  ]);
}

/** `odd`: one chunk has a wrong size or a wrong end. */
function chunked(body: string, random: Random, odd: boolean): string {
  const parts = cut(body, random);
  const corruptedIndex = odd ? random(parts.length + 1) : -1;
  const chunks = parts.map((part, index) => (index === corruptedIndex ? oddChunk(part, random) : chunk(part, random)));
  return chunks.join('') + lastChunk(random, corruptedIndex === parts.length);
}

function chunk(part: string, random: Random): string {
  const size = part.length.toString(16);
  const spelled = pick(random, [size, size, size, size.toUpperCase(), `000${size}`]);
  const extension = random(8) === 0 ? pick(random, [';a', ';a=b', ';a="b;c"', ' ;a', ';']) : '';
  return `${spelled}${extension}\r\n${part}\r\n`;
}

function oddChunk(part: string, random: Random): string {
  const size = part.length.toString(16);
  return pick(random, [
    `${size}\n${part}\r\n`,
    `${size}\r\n${part}\n`,
    `${size}\r\n${part}`,
    `${size} \r\n${part}\r\n`,
    ` ${size}\r\n${part}\r\n`,
    `0x${size}\r\n${part}\r\n`,
    `-${size}\r\n${part}\r\n`,
    `+${size}\r\n${part}\r\n`,
    `ffffffffffffffff\r\n${part}\r\n`,
    `10000000000000000${size}\r\n${part}\r\n`,
    `${(part.length + 3).toString(16)}\r\n${part}\r\n`,
    `${Math.max(1, part.length - 3).toString(16)}\r\n${part}\r\n`,
    `${size};a="\r\n"\r\n${part}\r\n`,
    `${size};${'e'.repeat(17_000)}\r\n${part}\r\n`,
    `\r\n${part}\r\n`,
    `g\r\n${part}\r\n`,
  ]);
}

function lastChunk(random: Random, odd: boolean): string {
  if (odd)
    return pick(random, ['', '0', '0\r\n', '0\n\n', '00000\r\n\r\n', '0\r\n\r', '0;a=b\r\n\r\n', '0\r\nx\r\n\r\n']);
  if (random(4) > 0) return '0\r\n\r\n';
  const trailers = [
    'x-trailer: 1',
    'content-length: 5',
    'transfer-encoding: chunked',
    'host: elsewhere',
    'folded: a\r\n b',
  ];
  return `0\r\n${pick(random, trailers)}\r\n\r\n`;
}

function cut(body: string, random: Random): string[] {
  if (body === '') return [];
  const at = random(2) === 0 ? random(body.length) : body.length;
  return [body.slice(0, at), body.slice(at)].filter((part) => part !== '');
}
