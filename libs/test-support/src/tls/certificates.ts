import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { generate, type GenerateResult, type SubjectAltNameEntry } from 'selfsigned';

/** PEM files of a server's certificate and its key. */
export interface ServerCertificate {
  cert: string;
  key: string;
}

/** A test's own certificate authority and the certificates that it signed. All are files in one directory. */
export interface Certificates {
  directory: string;
  /** PEM file of the authority's certificate. */
  ca: string;
  /** For 127.0.0.1 and localhost. */
  valid: ServerCertificate;
  /** For 127.0.0.1 and localhost; expired yesterday. */
  expired: ServerCertificate;
  /** For another host. */
  elsewhere: ServerCertificate;
  remove(): void;
}

const DAY_MS = 24 * 60 * 60 * 1_000;
/** P-256 keys: every TLS library accepts them, and they are generated in a millisecond. */
const KEY = { keyType: 'ec', curve: 'P-256', algorithm: 'sha256' } as const;
/** Entry types of a subject alternative name in RFC 5280, section 4.2.1.6. */
const DNS_NAME = 2;
const IP_ADDRESS = 7;

const LOCAL: SubjectAltNameEntry[] = [
  { type: IP_ADDRESS, ip: '127.0.0.1' },
  { type: DNS_NAME, value: 'localhost' },
];
const ELSEWHERE: SubjectAltNameEntry[] = [{ type: DNS_NAME, value: 'elsewhere.example' }];

/** Generates the keys and certificates; takes about 50 ms. */
export async function makeCertificates(): Promise<Certificates> {
  const authority = await generate([{ name: 'commonName', value: 'Test authority' }], {
    ...KEY,
    ...validUntil(2),
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
    ],
  });
  const directory = mkdtempSync(path.join(tmpdir(), 'history-certificates-'));
  const write = (name: string, content: string): string => {
    const file = path.join(directory, name);
    writeFileSync(file, content, { mode: 0o600 });
    return file;
  };
  const sign = async (name: string, hosts: SubjectAltNameEntry[], days: number): Promise<ServerCertificate> => {
    const server = await generateServer(authority, name, hosts, days);
    return { cert: write(`${name}.pem`, server.cert), key: write(`${name}.key`, server.private) };
  };

  return {
    directory,
    ca: write('ca.pem', authority.cert),
    valid: await sign('valid', LOCAL, 2),
    expired: await sign('expired', LOCAL, -1),
    elsewhere: await sign('elsewhere', ELSEWHERE, 2),
    remove: () => rmSync(directory, { recursive: true, force: true }),
  };
}

/** Generates a key and a certificate for a TLS server, signed by the authority. */
function generateServer(
  authority: GenerateResult,
  name: string,
  hosts: SubjectAltNameEntry[],
  days: number,
): Promise<GenerateResult> {
  return generate([{ name: 'commonName', value: name }], {
    ...KEY,
    ...validUntil(days),
    ca: { key: authority.private, cert: authority.cert },
    extensions: [
      { name: 'basicConstraints', cA: false, critical: true },
      { name: 'keyUsage', digitalSignature: true, critical: true },
      { name: 'extKeyUsage', serverAuth: true },
      { name: 'subjectAltName', altNames: hosts },
    ],
  });
}

/** A validity period that ends `days` days from now; negative for one that has ended. */
function validUntil(days: number): { notBeforeDate: Date; notAfterDate: Date } {
  const now = Date.now();
  return { notBeforeDate: new Date(now - 3 * DAY_MS), notAfterDate: new Date(now + days * DAY_MS) };
}
