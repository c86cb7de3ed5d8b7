import path from 'node:path';
import { readAppContents } from './app-contents.mjs';
import { copyContents } from './copy-contents.mjs';

/**
 * `node deploy/docker/bundle-app.mjs APP FOLDER`: copies a built app into an empty folder, with only the modules and packages
 * that it can load. `node FOLDER/apps/APP/dist/main.js` starts it there.
 */
const ROOT = path.resolve(import.meta.dirname, '../..');

const [app, folder] = process.argv.slice(2);
copyContents(ROOT, readAppContents(ROOT, app), folder);
