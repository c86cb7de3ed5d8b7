import { readFileSync } from 'node:fs';

/** Peak resident memory of a running process in bytes; undefined where the system does not report it (only Linux does). */
export function peakMemory(pid: number): number | undefined {
  return readStatus(pid, 'VmHWM');
}

/** Resident memory of a running process now, in bytes; undefined where the system does not report it (only Linux does). */
export function currentMemory(pid: number): number | undefined {
  return readStatus(pid, 'VmRSS');
}

/**
 * Resident memory of a running process now without pages of files, which the system takes back when it needs them: those of a store
 * that is mapped into memory. In bytes; undefined where the system does not report it (only Linux does).
 */
export function anonymousMemory(pid: number): number | undefined {
  return readStatus(pid, 'RssAnon');
}

/** A field of /proc/PID/status, which proc(5) gives in KiB. */
function readStatus(pid: number, field: string): number | undefined {
  try {
    const kib = new RegExp(`${field}:\\s+(\\d+) kB`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return kib === undefined ? undefined : Number(kib) * 1024;
  } catch {
    return undefined;
  }
}
