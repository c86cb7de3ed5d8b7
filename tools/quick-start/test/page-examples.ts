/** A request of a page and the response shown for it. */
export interface PageExample {
  command: string;
  shown: unknown;
}

/** The requests of a Markdown page, each with the response that follows it. */
export function readExamples(page: string): PageExample[] {
  const pairs = page.matchAll(/```sh\n(curl [^\n]+)\n```\n+```json\n([^`]+)```/g);
  return [...pairs].map(([, command = '', shown = '']) => ({ command, shown: JSON.parse(shown) as unknown }));
}

/**
 * Whether `shown` is a shortened form of the response: fields and items at the end of a list may be missing, `…` stands
 * for the rest of a string.
 */
export function isShortened(shown: unknown, response: unknown): boolean {
  if (typeof shown === 'string' && shown.endsWith('…')) {
    return typeof response === 'string' && response.startsWith(shown.slice(0, -1));
  }
  if (typeof shown !== 'object' || shown === null) return shown === response;
  if (typeof response !== 'object' || response === null || Array.isArray(shown) !== Array.isArray(response))
    return false;
  return Object.entries(shown).every(([key, value]) => isShortened(value, (response as Record<string, unknown>)[key]));
}
