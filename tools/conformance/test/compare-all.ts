import {
  ALL_REQUESTS,
  compareRecording,
  NAMED_REASONS,
  type Outcome,
  renderReport,
  storedReport,
  type Share,
} from '@antelope-history/conformance';
import type { AdapterSet } from '@antelope-history/processes';
import { ROUTES } from '@antelope-history/routes';
import { type SampleName, SAMPLES } from '@antelope-history/test-support/recordings';

const LIMIT_MS = 900_000;

export interface Extent {
  samples: readonly SampleName[];
  share: Share;
}

export const EVERYTHING: Extent = { samples: SAMPLES, share: ALL_REQUESTS };

/**
 * Declares the tests that compare every recorded response with that of the service on a set of adapters. Each set has a
 * test file of its own, so that the sets run in parallel. The tests need the built programs: `npm test` builds them.
 */
export function compareAll(set: AdapterSet, { samples, share }: Extent): void {
  describe(`the running service on the ${set} set`, () => {
    const outcomes: Outcome[] = [];

    it.each(samples)(
      'sends the responses of the recorded node of %s, except for differences with a proven reason',
      async (name) => {
        const ofRecording = await compareRecording(name, set, share);
        outcomes.push(...ofRecording);
        expect(
          ofRecording.flatMap(({ endpoint, unexplained }) => unexplained.map((text) => `${endpoint}: ${text}`)),
        ).toEqual([]);
        expect(ofRecording.every(({ compared }) => compared > 0)).toBe(true);
      },
      LIMIT_MS,
    );

    it.each(Object.values(ROUTES))('has at least one comparison for $path', ({ path }) => {
      const compared = outcomes.filter(({ endpoint }) => `/v1/${endpoint}`.startsWith(path));
      expect(compared.length).toBeGreaterThan(0);
    });

    // The document has the counts of all items.
    if (share.items > 1 || samples !== SAMPLES) return;

    it('differs at least once for each reason', () => {
      const found = new Set(outcomes.flatMap(({ different }) => Object.keys(different)));
      expect([...found].sort()).toEqual(NAMED_REASONS.map(({ name }) => name).sort());
    });

    it('has the differences and counts of docs/compatibility.md', () => {
      const compared = (report: string): string => (share.queries === 1 ? report : withoutQueryCounts(report));
      expect(compared(renderReport(outcomes))).toBe(compared(storedReport().read()));
    });
  });
}

/** Leaves out the numbers of derived queries: a share of them is sent. All must have the expected response in any case. */
function withoutQueryCounts(report: string): string {
  return report.replaceAll(/^(\| history\/get_actions, queries \| \S+) \| \d+ \| \d+ /gm, '$1 ');
}
