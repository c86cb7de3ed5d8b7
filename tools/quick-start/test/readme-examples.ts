/** A request of README.md and the answer shown for it. */
export interface ReadmeExample {
  command: string;
  shown: unknown;
}

/** The requests of README.md, each with the answer that follows it. */
export function readExamples(readme: string): ReadmeExample[] {
  const pairs = readme.matchAll(/```sh\n(curl [^\n]+)\n```\n+```json\n([^`]+)```/g);
  return [...pairs].map(([, command = '', shown = '']) => ({ command, shown: JSON.parse(shown) as unknown }));
}

/**
 * Whether what is shown is the answer, shortened: fields and items at the end of a list may be left out, `…` stands for
 * the rest of a text.
 */
export function isShortened(shown: unknown, answer: unknown): boolean {
  if (typeof shown === 'string' && shown.endsWith('…')) {
    return typeof answer === 'string' && answer.startsWith(shown.slice(0, -1));
  }
  if (typeof shown !== 'object' || shown === null) return shown === answer;
  if (typeof answer !== 'object' || answer === null || Array.isArray(shown) !== Array.isArray(answer)) return false;
  return Object.entries(shown).every(([key, value]) => isShortened(value, (answer as Record<string, unknown>)[key]));
}
