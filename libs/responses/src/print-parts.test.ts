import { stringifyJson } from '@antelope-history/json';
import { type PartRenderer, printParts } from './print-parts';
import { NO_SIZE, ResponseBudget, type SharedValue } from './response-budget';

const LIMITS = { bytes: 8 * 1024 * 1024, work: 64 * 1024 * 1024, abiWork: 0, abiMemoryBytes: 0 };
const SHARED_BYTES = 3 * 1024 * 1024;

/** Parts of one byte each that decode to the same value of `SHARED_BYTES`, as many notifications of one action do. */
function createRenderer(budget: ResponseBudget) {
  let shared: SharedValue<string> | undefined;
  const counts = { decoded: 0 };
  const renderer: PartRenderer<number, string> = {
    undecodedBytes: () => 8,
    sharedSize: () => shared?.size ?? NO_SIZE,
    decoded() {
      counts.decoded++;
      if (!shared) budget.decoding.settle(SHARED_BYTES + 2);
      shared ??= budget.share('x'.repeat(SHARED_BYTES), SHARED_BYTES + 2);
      return shared.value;
    },
    undecoded: () => 'hex',
    omitted: () => '',
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
    const text = stringifyJson(step.value);
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
