import { type PartRenderer, printParts } from './print-parts';
import { NO_SIZE, ResponseBudget } from './response-budget';

const LIMITS = { bytes: 8 * 1024 * 1024, work: 64 * 1024 * 1024, abiWork: 0, abiMemoryBytes: 0 };
const SHARED_BYTES = 3 * 1024 * 1024;

/** Parts of one byte each that decode to the same value of `SHARED_BYTES`, as many notifications of one action do. */
function createRenderer(budget: ResponseBudget) {
  let shared: string | undefined;
  let size = NO_SIZE;
  const counts = { decoded: 0 };
  const renderer: PartRenderer<number> = {
    undecodedBytes: () => 8,
    sharedSize: () => size,
    decoded() {
      counts.decoded++;
      if (shared !== undefined) return shared;
      budget.decoding.settle(SHARED_BYTES + 2);
      shared = `"${'x'.repeat(SHARED_BYTES)}"`;
      size = budget.measureShared(shared, SHARED_BYTES + 2);
      return shared;
    },
    undecoded: () => '"hex"',
    omitted: () => '""',
  };
  return { renderer, counts };
}

describe('printParts', () => {
  const parts = Array.from({ length: 150 }, (_, index) => index);

  it('does not print a long shared value for parts that it does not fit', () => {
    const budget = new ResponseBudget(LIMITS);
    const { renderer, counts } = createRenderer(budget);
    const steps = printParts(parts, renderer, budget);
    let step = steps.next();
    while (!step.done) step = steps.next();
    expect(counts.decoded).toBe(2);
    const text = `[${step.value.join(',')}]`;
    expect(text.endsWith('x"' + ',"hex"'.repeat(parts.length - 2) + ']')).toBe(true);
    expect(text.length).toBeLessThanOrEqual(LIMITS.bytes);
  });

  it('yields after each long part, whether it fits or not', () => {
    const budget = new ResponseBudget(LIMITS);
    const renderer = { ...createRenderer(budget).renderer, sharedSize: () => NO_SIZE };
    let yields = 0;
    for (const steps = printParts(parts, renderer, budget); !steps.next().done; yields++);
    expect(yields).toBe(parts.length);
  });
});
