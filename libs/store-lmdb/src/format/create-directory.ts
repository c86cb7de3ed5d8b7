import { mkdirSync, statSync } from 'node:fs';
import path from 'node:path';

/**
 * Creates a directory and those above it that are missing; one that exists stays as it is. Throws the error of the system.
 * `mkdir` of Node.js with `recursive` tries without end below /proc.
 */
export function createDirectory(directory: string): void {
  try {
    createInParent(directory);
  } catch (error) {
    const parent = path.dirname(directory);
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || parent === directory) throw error;
    createDirectory(parent);
    createInParent(directory);
  }
}

/** Another process may create it at the same time. */
function createInParent(directory: string): void {
  try {
    mkdirSync(directory);
  } catch (error) {
    if (!statSync(directory, { throwIfNoEntry: false })?.isDirectory()) throw error;
  }
}
