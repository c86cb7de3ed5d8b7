import path from 'node:path';

/** Folder of the recording; the same from `src` and from `dist`. */
export const HOSTILE_SAMPLE = path.join(__dirname, '..', '..', '..', '..', 'samples', 'hostile');
