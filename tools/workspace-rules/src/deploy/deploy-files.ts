import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseAllDocuments } from 'yaml';
import { WORKSPACE_ROOT } from '../projects';

/** The text of a file, by its path below the root. */
export function readText(file: string): string {
  return readFileSync(path.join(WORKSPACE_ROOT, file), 'utf8');
}

export function readJson(file: string): unknown {
  return JSON.parse(readText(file));
}

/** Every document of a YAML file, with its merge keys (`<<`) resolved. Throws when it is not YAML. */
export function readYaml(file: string): unknown[] {
  return parseAllDocuments(readText(file), { merge: true }).map((document) => {
    const [error] = document.errors;
    if (error) throw error;
    return document.toJS() as unknown;
  });
}

/** The paths of all files below a folder, relative to the root and sorted. */
export function listFiles(folder: string): string[] {
  return readdirSync(path.join(WORKSPACE_ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(WORKSPACE_ROOT, path.join(entry.parentPath, entry.name)))
    .sort();
}

/** The version of all packages of the workspace and of the images. */
export function readVersion(): string {
  return (readJson('package.json') as { version: string }).version;
}
