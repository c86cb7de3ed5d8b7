import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** PEM files of a server's certificate and its key. */
export interface ServerCertificate {
  cert: string;
  key: string;
}

/** A certificate authority for tests, and certificates that it signed, as files of one directory. */
export interface Certificates {
  directory: string;
  /** PEM file of the authority's certificate. */
  ca: string;
  /** For 127.0.0.1 and localhost. */
  valid: ServerCertificate;
  /** For 127.0.0.1 and localhost, expired yesterday. */
  expired: ServerCertificate;
  /** For another host. */
  elsewhere: ServerCertificate;
  remove(): void;
}

const NEW_KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
const HERE = 'IP:127.0.0.1,DNS:localhost';

/** Makes them with `openssl`; 50 ms. */
export function makeCertificates(): Certificates {
  const directory = mkdtempSync(path.join(tmpdir(), 'history-certificates-'));
  const openssl = (args: string[]): void => void execFileSync('openssl', args, { cwd: directory, stdio: 'pipe' });
  openssl([
    'req',
    '-x509',
    ...NEW_KEY,
    '-keyout',
    'ca.key',
    '-out',
    'ca.pem',
    '-days',
    '2',
    '-subj',
    '/CN=Test authority',
  ]);

  const sign = (name: string, hosts: string, days: number): ServerCertificate => {
    const [key, request, cert, extensions] = ['key', 'csr', 'pem', 'ext'].map((ending) => `${name}.${ending}`) as [
      string,
      string,
      string,
      string,
    ];
    writeFileSync(path.join(directory, extensions), `subjectAltName=${hosts}`);
    openssl(['req', ...NEW_KEY, '-keyout', key, '-out', request, '-subj', `/CN=${name}`]);
    const authority = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial'];
    openssl([
      'x509',
      '-req',
      '-in',
      request,
      ...authority,
      '-out',
      cert,
      '-days',
      String(days),
      '-extfile',
      extensions,
    ]);
    return { cert: path.join(directory, cert), key: path.join(directory, key) };
  };

  return {
    directory,
    ca: path.join(directory, 'ca.pem'),
    valid: sign('valid', HERE, 2),
    expired: sign('expired', HERE, -1),
    elsewhere: sign('elsewhere', 'DNS:elsewhere.example', 2),
    remove: () => rmSync(directory, { recursive: true, force: true }),
  };
}
