import { HistoryError } from '@antelope-history/schemas';
import fc from 'fast-check';
import { Outbox, type Outgoing } from './outbox';

function outgoing(tell: (end: string) => void): Outgoing {
  return {
    body: Buffer.alloc(0),
    headers: {},
    isWhole: false,
    partsQueue: undefined,
    split: undefined,
    confirmed: () => tell('confirmed'),
    failed: ({ code }) => tell(code),
  };
}

describe('the outbox', () => {
  it('gives what was put back before what came after it, whatever was confirmed in between', () =>
    fc.assert(
      fc.property(fc.array(fc.constantFrom('add', 'take', 'confirm', 'put back'), { maxLength: 100 }), (steps) => {
        const outbox = new Outbox();
        const numbers = new Map<Outgoing, number>();
        const ends: number[] = [];
        const taken: Outgoing[] = [];
        const waiting = new Set<number>();
        for (const step of steps) {
          if (step === 'add') {
            const n = numbers.size;
            const message = outgoing(() => ends.push(n));
            numbers.set(message, n);
            waiting.add(n);
            outbox.add(message);
          } else if (step === 'take' && outbox.next) {
            const message = outbox.take();
            expect(numbers.get(message)).toBe(Math.min(...waiting));
            waiting.delete(numbers.get(message) ?? -1);
            taken.push(message);
          } else if (step === 'confirm' && taken.length > 0) {
            outbox.confirm(taken.splice(taken.length >> 1, 1)[0] as Outgoing);
          } else if (step === 'put back' && taken.length > 0) {
            const message = taken.splice(taken.length >> 1, 1)[0] as Outgoing;
            outbox.putBack(message);
            waiting.add(numbers.get(message) ?? -1);
          }
        }
        expect(new Set(ends).size).toBe(ends.length);
        expect(ends.length + taken.length + waiting.size).toBe(numbers.size);
      }),
    ));

  it('tells each message its end once, also those that are under way', () => {
    const outbox = new Outbox();
    const ends: string[] = [];
    const messages = ['a', 'b', 'c'].map((name) => outgoing((end) => ends.push(`${name} ${end}`)));
    for (const message of messages) outbox.add(message);
    const [first, second] = [outbox.take(), outbox.take()];
    outbox.confirm(first);
    outbox.fail(new HistoryError('STOPPED', 'closed'));
    outbox.confirm(second);
    outbox.putBack(second);
    outbox.fail(new HistoryError('STOPPED', 'closed'));
    expect(ends).toEqual(['a confirmed', 'b STOPPED', 'c STOPPED']);
    expect(outbox.next).toBeUndefined();
  });
});
