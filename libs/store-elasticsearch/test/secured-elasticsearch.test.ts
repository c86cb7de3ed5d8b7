import { Client } from '@elastic/elasticsearch';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { inspect } from 'node:util';
import type { Finding } from '@antelope-history/connectivity/check';
import { HistoryError } from '@antelope-history/schemas';
import { describeWithPrograms, type SecuredServer, startSecuredElasticsearch } from '@antelope-history/servers';
import { type Certificates, makeCertificates } from '@antelope-history/test-support/tls';
import { elasticsearchChecks } from '../src/check';
import { type ElasticsearchOptions, openElasticsearchStoreReader } from '../src/reader';
import { openElasticsearchStoreWriter } from '../src/writer';

jest.setTimeout(240_000);

const SECRET = 'p@ss:w0rd/%41"ü';
const ROLES = path.resolve(__dirname, '../../../deploy/elasticsearch');
const roleOf = (name: string): object =>
  JSON.parse(readFileSync(path.join(ROLES, `history-${name}-role.json`), 'utf8')) as object;

const DEFAULTS: ElasticsearchOptions = {
  urls: [],
  indexPrefix: 'history',
  blocksPerIndex: 1000,
  actionsPerIndex: 1_000_000,
  retainBlocks: 0,
  replicas: 0,
  bulkBytes: 1024 * 1024,
  bulkConcurrency: 2,
  commitSeconds: 1,
  requestTimeoutSeconds: 30,
};

let certificates: Certificates;
beforeAll(async () => (certificates = await makeCertificates()));
afterAll(() => certificates.remove());

/** Runs the checks whose prerequisites passed. */
async function findingsOf(options: ElasticsearchOptions, access: 'read' | 'write'): Promise<Map<string, Finding>> {
  const findings = new Map<string, Finding>();
  for (const { name, needs, run } of elasticsearchChecks({ options, access, chainId: undefined, now: Date.now })) {
    if (needs.every((need) => findings.get(need)?.outcome === 'ok')) {
      findings.set(name, await run(AbortSignal.timeout(5_000)));
    }
  }
  expect(inspect(findings, { depth: 10 })).not.toContain(SECRET);
  return findings;
}

const outcomesOf = (findings: Map<string, Finding>): string[] =>
  [...findings.values()].map(({ outcome, id }) => `${outcome} ${id}`);

async function openingError(
  options: ElasticsearchOptions,
  open: (options: ElasticsearchOptions) => Promise<unknown> = openElasticsearchStoreWriter,
): Promise<HistoryError> {
  const error = await open(options).then(
    () => expect('opened').toBe('refused'),
    (reason: unknown) => reason,
  );
  expect(inspect(error, { depth: 10 })).not.toContain(SECRET);
  expect(error).toBeInstanceOf(HistoryError);
  return error as HistoryError;
}

describeWithPrograms(['java', 'mvn'], () => {
  describe('a secured Elasticsearch with the roles of deploy/elasticsearch', () => {
    let server: SecuredServer;
    let writer: ElasticsearchOptions;
    let reader: ElasticsearchOptions;
    beforeAll(async () => {
      server = await startSecuredElasticsearch({
        certificate: { ...certificates.valid, ca: certificates.ca },
        roles: { history_writer: roleOf('writer'), history_reader: roleOf('reader'), nothing: { cluster: [] } },
        users: [
          { name: 'indexer', password: SECRET, role: 'history_writer' },
          { name: 'api', password: SECRET, role: 'history_reader' },
          { name: 'admin', password: SECRET, role: 'superuser' },
          { name: 'stranger', password: SECRET, role: 'nothing' },
        ],
      });
      writer = { ...DEFAULTS, urls: [server.url], caFile: certificates.ca, username: 'indexer', password: SECRET };
      reader = { ...writer, username: 'api' };
    });
    afterAll(() => server.stop());

    it('lets the writer write and the reader read, and passes the checks of both', async () => {
      const store = await openElasticsearchStoreWriter(writer);
      await store.setChainId('c5'.repeat(32));
      expect(await store.readFreeBytes()).toBeGreaterThan(1024 * 1024);
      await store.close();
      const api = await openElasticsearchStoreReader(reader);
      expect((await api.getStatus()).chainId).toBe('c5'.repeat(32));
      await api.close();
      expect(outcomesOf(await findingsOf(writer, 'write'))).toEqual([
        'ok elasticsearch.answers',
        'ok elasticsearch.privileges',
        'ok elasticsearch.cluster',
        'ok elasticsearch.blocks',
        'ok elasticsearch.templates',
        'ok elasticsearch.indices',
        'ok elasticsearch.data',
        'ok elasticsearch.clock',
      ]);
      expect(outcomesOf(await findingsOf(reader, 'read'))).toEqual([
        'ok elasticsearch.answers',
        'ok elasticsearch.privileges',
        'ok elasticsearch.cluster',
        'ok elasticsearch.indices',
        'ok elasticsearch.data',
        'ok elasticsearch.clock',
      ]);
    });

    it('reports the privileges that a user lacks', async () => {
      const lacking = (await findingsOf(reader, 'write')).get('elasticsearch privileges');
      expect([lacking?.outcome, lacking?.id]).toEqual(['wrong', 'elasticsearch.no_privilege']);
      expect(lacking?.what).toBe(
        'the user api lacks manage_index_templates on the cluster, write on history-*, manage on history-*',
      );
      const none = (await findingsOf({ ...reader, username: 'stranger' }, 'read')).get('elasticsearch privileges');
      expect(none?.what).toBe('the user stranger lacks read on history-*');
      expect((await openingError({ ...writer, username: 'api' })).code).toBe('ACCESS_REFUSED');
    });

    it('reports a block of the whole cluster', async () => {
      const auth = { username: 'admin', password: SECRET };
      const admin = new Client({ node: server.url, auth, tls: { ca: readFileSync(certificates.ca) } });
      const block = (value: boolean | null) =>
        admin.cluster.putSettings({ persistent: { 'cluster.blocks.read_only_allow_delete': value } });
      await block(true);
      const blocks = (await findingsOf(writer, 'write')).get('elasticsearch blocks');
      expect([blocks?.outcome, blocks?.id]).toEqual(['wrong', 'elasticsearch.flood_stage']);
      expect(blocks?.what).toContain('the cluster');
      await block(null);
      await admin.close();
      expect((await findingsOf(writer, 'write')).get('elasticsearch blocks')?.id).toBe('elasticsearch.blocks');
    });

    it.each([
      ['another password', { password: 'other' }],
      ['another user', { username: 'nobody' }],
      ['no user', { username: undefined, password: undefined }],
    ])('refuses %s for good', async (_, access) => {
      const options = { ...writer, ...access };
      const error = await openingError(options);
      expect([error.code, error.retryable]).toEqual(['ACCESS_REFUSED', false]);
      expect(error.message).toContain('store.elasticsearch.username');
      expect((await openingError(options, openElasticsearchStoreReader)).code).toBe('ACCESS_REFUSED');
      expect(outcomesOf(await findingsOf(options, 'write'))).toEqual(['wrong elasticsearch.wrong_password']);
    });

    it('is refused without the authority that signed its certificate', async () => {
      const options = { ...writer, caFile: undefined };
      const error = await openingError(options);
      expect([error.code, error.retryable]).toEqual(['CERTIFICATE_REFUSED', false]);
      expect(outcomesOf(await findingsOf(options, 'write'))).toEqual(['wrong elasticsearch.certificate_untrusted']);
    });

    it('is refused without TLS', async () => {
      const options = { ...writer, urls: [server.url.replace('https:', 'http:')] };
      expect(outcomesOf(await findingsOf(options, 'write'))).toEqual(['wrong elasticsearch.cut_off']);
    });
  });
});

describe('a server with another certificate', () => {
  it.each([
    ['expired', 'elasticsearch.certificate_expired'],
    ['elsewhere', 'elasticsearch.certificate_wrong_host'],
  ] as const)('is not trusted: %s', async (name, id) => {
    const { cert, key } = certificates[name];
    const server = createServer({ cert: readFileSync(cert), key: readFileSync(key) }, (_request, response) => {
      response.end('{}');
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const options = { ...DEFAULTS, urls: [url], caFile: certificates.ca, username: 'indexer', password: SECRET };
    expect(outcomesOf(await findingsOf(options, 'write'))).toEqual([`wrong ${id}`]);
    expect((await openingError(options)).code).toBe('CERTIFICATE_REFUSED');
    server.closeAllConnections();
    server.close();
  });
});
