import fc from 'fast-check';
import { AckWindow } from './ack-window';

/** A node that sends while it has credit, and a client whose messages become durable one by one. */
class Conversation {
  readonly window: AckWindow;
  credit: number;
  sent = 0;
  durable = 0;
  acknowledged = 0;

  constructor(size: number) {
    this.window = new AckWindow(size);
    this.credit = size;
  }

  send(): void {
    if (this.credit === 0) return;
    this.credit--;
    this.sent++;
    this.window.received();
  }

  settle(): number {
    if (this.durable === this.sent) return 0;
    this.durable++;
    const messages = this.window.settled();
    this.acknowledged += messages;
    this.credit += messages;
    return messages;
  }
}

const conversations = fc.record({
  size: fc.integer({ min: 1, max: 100 }),
  sends: fc.array(fc.boolean(), { maxLength: 400, size: 'max' }),
});

describe('AckWindow', () => {
  it('acknowledges durable messages only, and never has more messages in flight than its size', () => {
    fc.assert(
      fc.property(conversations, ({ size, sends }) => {
        const conversation = new Conversation(size);
        for (const send of sends) {
          if (send) conversation.send();
          else conversation.settle();
          expect(conversation.acknowledged).toBeLessThanOrEqual(conversation.durable);
          expect(conversation.window.inFlight).toBe(conversation.sent - conversation.acknowledged);
          expect(conversation.window.inFlight).toBeLessThanOrEqual(size);
        }
      }),
    );
  });

  it('returns all credit when every message is durable, after any sequence of events', () => {
    fc.assert(
      fc.property(conversations, ({ size, sends }) => {
        const conversation = new Conversation(size);
        for (const send of sends) {
          if (send) conversation.send();
          else conversation.settle();
        }
        while (conversation.durable < conversation.sent) conversation.settle();
        expect(conversation.acknowledged).toBe(conversation.sent);
        expect(conversation.credit).toBe(size);
      }),
    );
  });

  it('acknowledges exactly half a window at a time when the window is full', () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 100 }), (size) => {
        const conversation = new Conversation(size);
        const half = size >> 1;
        for (let message = 0; message < size; message++) conversation.send();
        for (let durable = 1; durable <= half; durable++)
          expect(conversation.settle()).toBe(durable === half ? half : 0);
      }),
    );
  });
});
