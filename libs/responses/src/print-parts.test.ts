import { JsonWriter } from '@antelope-history/json';
import { type PartRenderer, printParts } from './print-parts';
import { NO_SIZE, ResponseBudget } from './response-budget';

const LIMITS = { bytes: 8 * 1024 * 1024, work: 64 * 1024 * 1024, abiWork: 0, abiMemoryBytes: 0 };
const SHARED_BYTES = 3 * 1024 * 1024;
const SHARED = Buffer.from(`"${'x'.repeat(SHARED_BYTES)}"`);

/** Parts of one byte each that decode to the same value of `SHARED_BYTES`, as many notifications of one action do. */
function createRenderer(budget: ResponseBudget) {
  let size = NO_SIZE;
  const counts = { decoded: 0 };
  const renderer: PartRenderer<number> = {
    undecodedBytes: () => 8,
    sharedSize: () => size,
    decoded(_part, out) {
      counts.decoded++;
      out.bytes(SHARED);
      if (size !== NO_SIZE) return;
      budget.decoding.settle(SHARED_BYTES + 2);
      size = budget.measureShared(SHARED_BYTES + 2, SHARED_BYTES + 2);
    },
    undecoded: (_part, out) => void out.raw('"hex"'),
    omitted: (_part, out) => void out.raw('""'),
  };
  return { renderer, counts };
}

describe('printParts', () => {
  const parts = Array.from({ length: 150 }, (_, index) => index);

  it('does not print a long shared value for parts that it does not fit', () => {
    const budget = new ResponseBudget(LIMITS);
    const { renderer, counts } = createRenderer(budget);
    const out = new JsonWriter().raw('[');
    for (const steps = printParts(out, parts, renderer, budget); !steps.next().done;);
    expect(counts.decoded).toBe(2);
    const text = String(out.raw(']').copyFrom(0));
    expect(text.endsWith('x"' + ',"hex"'.repeat(parts.length - 2) + ']')).toBe(true);
    expect(text.length).toBeLessThanOrEqual(LIMITS.bytes);
  });

  it('yields after each long part, whether it fits or not', () => {
    const budget = new ResponseBudget(LIMITS);
    const renderer = { ...createRenderer(budget).renderer, sharedSize: () => NO_SIZE };
    let yields = 0;
    for (const steps = printParts(new JsonWriter(), parts, renderer, budget); !steps.next().done; yields++);
    expect(yields).toBe(parts.length);
  });
});
