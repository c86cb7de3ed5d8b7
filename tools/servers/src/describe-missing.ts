import type { Services } from './services';

/** One line per server that could not be started: the consequence and the reason, which says what to install. */
export function describeMissing({ missing }: Services): string[] {
  const consequence = process.env['CI'] === 'true' ? 'its tests fail' : 'its tests are skipped';
  return [...missing].map(([name, reason]) => `No ${name}, ${consequence}: ${toOneLine(reason)}.`);
}

/** Outputs of programs that failed have several lines. */
function toOneLine(reason: string): string {
  return reason
    .trim()
    .replaceAll(/\s*\n\s*/g, '; ')
    .replace(/\.$/, '');
}
