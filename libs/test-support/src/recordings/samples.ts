import path from 'node:path';
import { openRecording, type Recording } from './recording';

/** The recordings in the project's top-level `samples` folder. */
export const SAMPLES = ['leap-edge', 'leap-forks', 'leap-snapshot', 'eosio20-edge', 'spring-savanna'] as const;

export type SampleName = (typeof SAMPLES)[number];

/** Folder of a sample; the same from `src` and from `dist`. */
export function sampleFolder(name: SampleName): string {
  return path.join(__dirname, '..', '..', '..', '..', 'samples', name);
}

export function openSample(name: SampleName): Recording {
  return openRecording(sampleFolder(name));
}
