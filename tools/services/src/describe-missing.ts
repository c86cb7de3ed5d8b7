import type { Services } from './services';

/** A line per server that could not be had: what is without it, and how to get it. */
export function describeMissing({ missing }: Services): string[] {
  const consequence = process.env['CI'] === 'true' ? 'its tests fail' : 'its tests are skipped';
  return [...missing].map(([name, reason]) => `No ${name}, ${consequence}: ${toOneLine(reason)}.`);
}

/** What a program said before it failed has several. */
function toOneLine(reason: string): string {
  return reason
    .trim()
    .replaceAll(/\s*\n\s*/g, '; ')
    .replace(/\.$/, '');
}
