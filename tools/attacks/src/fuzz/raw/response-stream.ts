/** The responses in the bytes that a server sent on one connection, parsed strictly. */
export interface ResponseReading {
  statuses: number[];
  /** The first violation of HTTP, if any. An incomplete last response is not a violation: the server aborted it. */
  fault: string | undefined;
}

interface Head {
  status: number;
  headers: Map<string, string>;
  end: number;
}

const HEADER = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+: ?[\t\x20-\x7e\x80-\xff]*$/;

/** `mayBeHead`: whether a request was HEAD, whose response has a length and no body. */
export function readResponses(received: Buffer, mayBeHead: boolean): ResponseReading {
  const text = received.toString('latin1');
  const statuses: number[] = [];
  let at = 0;
  while (at < text.length) {
    const head = readHead(text, at);
    if (head === 'cut') return { statuses, fault: undefined };
    if (typeof head === 'string') return { statuses, fault: head };
    if (head.status >= 200) statuses.push(head.status);
    const next = bodyEnd(text, head, mayBeHead);
    if (typeof next === 'string') return { statuses, fault: next };
    at = next;
  }
  return { statuses, fault: undefined };
}

function readHead(text: string, at: number): Head | string {
  const close = text.indexOf('\r\n\r\n', at);
  if (close < 0) return /^(H(T(T(P.*)?)?)?)?$/s.test(text.slice(at)) ? 'cut' : `no response: ${shown(text, at)}`;
  const [statusLine = '', ...lines] = text.slice(at, close).split('\r\n');
  const status = /^HTTP\/1\.1 ([1-5][0-9][0-9]) [\x20-\x7e]*$/.exec(statusLine)?.[1];
  if (status === undefined) return `no status line: ${shown(text, at)}`;
  const headers = new Map<string, string>();
  for (const line of lines) {
    const name = line.slice(0, line.indexOf(':')).toLowerCase();
    if (!HEADER.test(line)) return `no header: ${JSON.stringify(line)}`;
    if (headers.has(name) && /^(content-length|transfer-encoding)$/.test(name)) return `two headers ${name}`;
    headers.set(name, line.slice(name.length + 1).trim());
  }
  if (headers.has('content-length') && headers.has('transfer-encoding')) return 'two lengths';
  return { status: Number(status), headers, end: close + 4 };
}

/** Offset of the next response. */
function bodyEnd(text: string, { status, headers, end }: Head, mayBeHead: boolean): number | string {
  if (status < 200 || status === 204 || status === 304) return end;
  if (mayBeHead && (end === text.length || text.startsWith('HTTP/1.1 ', end))) return end;
  const length = headers.get('content-length');
  if (length !== undefined) return /^[0-9]+$/.test(length) ? end + Number(length) : `content-length: ${length}`;
  if (headers.get('transfer-encoding') === 'chunked') return chunksEnd(text, end);
  return text.length;
}

function chunksEnd(text: string, start: number): number | string {
  let at = start;
  while (at < text.length) {
    const lineEnd = text.indexOf('\r\n', at);
    if (lineEnd < 0) return text.length;
    const size = text.slice(at, lineEnd);
    if (!/^[0-9a-f]{1,8}$/i.test(size)) return `no chunk size: ${shown(text, at)}`;
    at = lineEnd + 2 + Number.parseInt(size, 16) + 2;
    if (at <= text.length && text.slice(at - 2, at) !== '\r\n') return `a chunk does not end: ${shown(text, at - 2)}`;
    if (/^0+$/.test(size)) return at;
  }
  return text.length;
}

function shown(text: string, at: number): string {
  return JSON.stringify(text.slice(at, at + 60));
}
