import { SAMPLES } from '@antelope-history/recordings';
import { compareRecording, NAMED_REASONS, readReport, renderReport, type Outcome } from '@antelope-history/conformance';

/** Needs the built programs, as `npm test` makes them: the service and the replaying node run as processes. */
describe('the running service', () => {
  const outcomes: Outcome[] = [];

  it.each(SAMPLES)(
    'answers as the nodes of %s did, but for differences with a proven reason',
    async (name) => {
      const ofRecording = await compareRecording(name);
      outcomes.push(...ofRecording);
      expect(
        ofRecording.flatMap(({ endpoint, unexplained }) => unexplained.map((text) => `${endpoint}: ${text}`)),
      ).toEqual([]);
      expect(ofRecording.every(({ compared }) => compared > 0)).toBe(true);
    },
    300_000,
  );

  it('differs for no fewer reasons than there are', () => {
    const found = new Set(outcomes.flatMap(({ different }) => Object.keys(different)));
    expect([...found].sort()).toEqual(NAMED_REASONS.map(({ name }) => name).sort());
  });

  it('differs as often and for the reasons that docs/compatibility.md says', () => {
    expect(renderReport(outcomes)).toBe(readReport());
  });
});
