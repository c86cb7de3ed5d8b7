import { findProgram } from './processes/command';
import { installPackage } from './servers/debian';

/** The path of the browser for tests: set by a user, or by Jest's global set-up. */
export const BROWSER_VARIABLE = 'HISTORY_TEST_BROWSER';
/** Debian's package, without the parts of Chromium that draw on a screen. */
const PACKAGE = 'chromium-headless-shell';
const PROGRAMS = [
  PACKAGE,
  'chromium',
  'chromium-browser',
  'google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/** The path of an installed Chromium, which is installed if it is missing; rejects where that is not possible. */
export async function provideBrowser(): Promise<string> {
  const installed = process.env[BROWSER_VARIABLE] ?? findProgram(...PROGRAMS);
  if (installed !== undefined) return installed;
  await installPackage(PACKAGE);
  const program = findProgram(PACKAGE);
  if (program === undefined) throw new Error(`${PACKAGE} is not on PATH after its installation`);
  return program;
}
