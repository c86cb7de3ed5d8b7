import fc from 'fast-check';
import { ROUTES } from '@antelope-history/routes';
import { createFieldTexts } from './field-texts';
import { generateRequests } from './generated-requests';

const FACTS = { names: ['alice'], keys: ['EOS1'], blockIds: ['00'.repeat(32)], transactionIds: ['11'.repeat(32)] };

describe('generateRequests', () => {
  const requests = fc.sample(generateRequests(FACTS), { numRuns: 5_000, seed: 1 });

  it.each(Object.values(ROUTES))('sends every field of $path', ({ path, request }) => {
    const sent = new Set(
      requests.filter((generated) => generated.path === path).flatMap(({ body }) => fieldNamesIn(body.toString())),
    );
    expect([...sent]).toEqual(expect.arrayContaining(Object.keys(request.shape)));
  });

  it('has a generator for every field of every route', () => {
    const names = Object.values(ROUTES).flatMap(({ request }) => Object.keys(request.shape));
    expect(Object.keys(createFieldTexts(FACTS))).toEqual(expect.arrayContaining(names));
  });
});

function fieldNamesIn(body: string): string[] {
  return [...body.matchAll(/"([a-z_]+)":/g)].map(([, name = '']) => name);
}
