import { readlinkSync } from 'node:fs';

/** Tells the processes of a data directory apart. LMDB itself compares only their ids, which two containers may both use. */
export interface ProcessIdentity {
  pid: number;
  /** The PID namespace of a Linux process; empty on other systems. */
  namespace: string;
}

/** Reads the identity that a writer sends as JSON. Throws a SyntaxError when the bytes are not JSON. */
export function identityIn(bytes: Buffer): ProcessIdentity {
  const { pid, namespace } = JSON.parse(String(bytes)) as Record<string, unknown>;
  return { pid: Number(pid), namespace: String(namespace) };
}

export function ownIdentity(): ProcessIdentity {
  return { pid: process.pid, namespace: ownNamespace() };
}

/** Whether LMDB would take two processes for one: their ids are equal, in two containers. */
export function isAmbiguous(one: ProcessIdentity, other: ProcessIdentity): boolean {
  return one.pid === other.pid && one.namespace !== other.namespace;
}

function ownNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return '';
  }
}
