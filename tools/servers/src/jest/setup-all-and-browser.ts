import { BROWSER_VARIABLE, provideBrowser } from '../browser';
import { SERVICE_NAMES } from '../service-name';
import { setUp } from './set-up';

/** All servers, and Chromium. One after another, because both may install packages. */
export default async function setUpAll(): Promise<void> {
  await setUp(SERVICE_NAMES)();
  try {
    process.env[BROWSER_VARIABLE] = await provideBrowser();
  } catch (error) {
    const consequence = process.env['CI'] === 'true' ? 'its tests fail' : 'its tests are skipped';
    process.stderr.write(`No Chromium, ${consequence}: ${(error as Error).message}.\n`);
  }
}
