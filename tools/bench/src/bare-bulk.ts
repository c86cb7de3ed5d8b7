import { createHash } from 'node:crypto';
import type { ElasticsearchRequests, IndexedDocument } from './index-documents';
import { processorSeconds } from './processor-time';

export interface BareBulkOptions {
  requests: ElasticsearchRequests;
  /** Prefixes of the names of the copied indices, and of the copies. */
  from: string;
  to: string;
  /** The JSON of each action's document by its id, of which the server returns a part. */
  actions: ReadonlyMap<string, string>;
  bulkBytes: number;
  /** Number of concurrent requests. */
  concurrency: number;
  /** The server's process; undefined when it is not on this machine. */
  serverPid: number | undefined;
}

export interface BareBulkFigures {
  documents: number;
  /** Time from the first request until all documents are searchable. */
  seconds: number;
  /** Processor time of the server in these seconds. */
  serverSeconds: number | undefined;
}

interface IndexDefinition {
  mappings: unknown;
  settings: { index: Record<string, unknown> };
}

/** Settings that the server generates. */
const OWN_SETTINGS = ['creation_date', 'provided_name', 'uuid', 'version', 'routing'];

/**
 * The limit: copies the documents of some indices into fresh indices of the same settings, with prepared `_bulk` requests.
 * Throws when the copies are not equal.
 */
export async function measureBareBulk(options: BareBulkOptions): Promise<BareBulkFigures> {
  const { requests, from, to, actions, concurrency } = options;
  const indices = await requests.indices(from);
  const copyOf = (index: string): string => `${to}${index.slice(from.length)}`;
  await createCopies(requests, indices, copyOf);
  const bodies = new BulkBodies(options.bulkBytes);
  const written = new DocumentDigest();
  for await (const document of requests.documents(indices)) {
    const copy = { ...document, index: copyOf(document.index) };
    written.add(copy);
    bodies.add(copy, document.isWhole ? document.returned : (actions.get(document.id) ?? missing(document)));
  }
  const pending = bodies.finish();
  const usedBefore = serverProcessorSeconds(options);
  const startedAt = performance.now();
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      for (let body = pending.shift(); body !== undefined; body = pending.shift()) await sendBulk(requests, body);
    }),
  );
  const copies = indices.map(copyOf);
  await requests.send('POST', `${copies.join()}/_refresh`);
  const seconds = (performance.now() - startedAt) / 1000;
  const usedAfter = serverProcessorSeconds(options);
  const found = new DocumentDigest();
  for await (const document of requests.documents(copies)) found.add(document);
  if (found.digest() !== written.digest()) throw new Error('the copies differ from the documents of the suite');
  const serverSeconds = usedAfter === undefined ? undefined : usedAfter - (usedBefore ?? 0);
  return { documents: written.count, seconds, serverSeconds };
}

function missing({ index, id }: IndexedDocument): never {
  throw new Error(`the document ${id} of ${index} is not one of the recording`);
}

function serverProcessorSeconds({ serverPid }: BareBulkOptions): number | undefined {
  return serverPid === undefined ? undefined : processorSeconds(serverPid);
}

async function createCopies(requests: ElasticsearchRequests, indices: string[], copyOf: (index: string) => string) {
  for (const index of indices) {
    const definition = (await requests.send<Record<string, IndexDefinition>>('GET', index))[index] as IndexDefinition;
    const settings = Object.entries(definition.settings.index).filter(([name]) => !OWN_SETTINGS.includes(name));
    const { mappings } = definition;
    await requests.send('PUT', copyOf(index), { mappings, settings: { index: Object.fromEntries(settings) } });
  }
}

async function sendBulk(requests: ElasticsearchRequests, body: string): Promise<void> {
  const { errors } = await requests.send<{ errors: boolean }>('POST', '_bulk?filter_path=errors', body);
  if (errors) throw new Error('the server rejected a document of the bare loop');
}

class BulkBodies {
  private readonly bodies: string[] = [];
  private lines: string[] = [];
  private bytes = 0;

  constructor(private readonly limit: number) {}

  add({ index, id, version }: IndexedDocument, body: string): void {
    const action = { index: { _index: index, _id: id, version, version_type: 'external' } };
    this.lines.push(JSON.stringify(action), body);
    this.bytes += body.length;
    if (this.bytes >= this.limit) this.flush();
  }

  finish(): string[] {
    this.flush();
    return this.bodies;
  }

  private flush(): void {
    if (this.lines.length > 0) this.bodies.push(`${this.lines.join('\n')}\n`);
    this.lines = [];
    this.bytes = 0;
  }
}

/** A digest that does not depend on the order of the documents. */
class DocumentDigest {
  count = 0;
  private sum = 0n;

  add({ index, id, returned }: IndexedDocument): void {
    this.count++;
    const digest = createHash('sha256').update(`${index}\n${id}\n${returned}`).digest();
    this.sum += digest.readBigUInt64LE();
  }

  digest(): string {
    return `${this.count} ${this.sum}`;
  }
}
