import { pbkdf2Sync, randomBytes } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { request } from 'node:https';
import { stopGroup, untilHealthy } from '../processes/background';
import { withLock } from '../processes/lock';
import { ELASTICSEARCH_START_LIMIT_MS, launchElasticsearch } from '../servers/elasticsearch';
import { servicesFolder } from '../state';
import type { SecuredServer, ServerFiles } from './secured-server';

export interface SecuredElasticsearchOptions {
  certificate: ServerFiles;
  /** Roles by their names, as the security API takes them. */
  roles: Record<string, object>;
  /** The only users of the server. */
  users: { name: string; password: string; role: string }[];
}

const LOCK_LIMIT_MS = 600_000;

/**
 * Starts Elasticsearch with TLS and its own security on a free port, for one test; takes half a minute. Needs Java, and
 * Maven the first time; rejects with the name of a missing program.
 */
export async function startSecuredElasticsearch(options: SecuredElasticsearchOptions): Promise<SecuredServer> {
  const { certificate, roles, users } = options;
  const folder = servicesFolder();
  const launch = (): ReturnType<typeof launchElasticsearch> =>
    launchElasticsearch(folder, {
      settings: {
        'xpack.security.enabled': true,
        'xpack.security.http.ssl.enabled': true,
        'xpack.security.http.ssl.certificate': 'http.pem',
        'xpack.security.http.ssl.key': 'http.key',
      },
      files: {
        'http.pem': readFileSync(certificate.cert, 'utf8'),
        'http.key': readFileSync(certificate.key, 'utf8'),
        // One line per role: the server splits the file into roles before it parses them as YAML.
        'roles.yml': Object.entries(roles)
          .map(([name, role]) => `${name}: ${JSON.stringify(role)}\n`)
          .join(''),
        users: users.map(({ name, password }) => `${name}:${hashPassword(password)}\n`).join(''),
        users_roles: users.map(({ name, role }) => `${role}:${name}\n`).join(''),
      },
    });
  // The first start fetches the distribution; the lock keeps others from doing the same.
  const { port, leader, logFile, own } = await withLock(folder, LOCK_LIMIT_MS, launch);
  const stop = async (): Promise<void> => {
    await stopGroup(leader);
    rmSync(own, { recursive: true, force: true });
  };
  try {
    const ca = readFileSync(certificate.ca);
    await untilHealthy(() => untilAsked(port, ca), { leader, logFile }, ELASTICSEARCH_START_LIMIT_MS);
  } catch (error) {
    await stop();
    throw error;
  }
  return { url: `https://127.0.0.1:${port}`, stop };
}

const ITERATIONS = 10_000;
const HASH_BYTES = 32;

/** The format of the users file (org.elasticsearch.xpack.core.security.authc.support.Hasher, PBKDF2). */
function hashPassword(password: string): string {
  const salt = randomBytes(HASH_BYTES);
  const hash = pbkdf2Sync(password, salt, ITERATIONS, HASH_BYTES, 'sha512');
  return `{PBKDF2}${ITERATIONS}$${salt.toString('base64')}$${hash.toString('base64')}`;
}

const UNAUTHENTICATED = 401;

/** Authenticates, because a server that is ready refuses requests without a user. */
function untilAsked(port: number, ca: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', port, path: '/_cluster/health', ca, timeout: 5_000 }, (response) => {
      response.resume();
      if (response.statusCode === UNAUTHENTICATED) resolve();
      else reject(new Error(`Elasticsearch answers ${response.statusCode ?? 'nothing'}`));
    })
      .on('error', reject)
      .end();
  });
}
