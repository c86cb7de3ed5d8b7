import fc from 'fast-check';
import { PublishWindow } from './publish-window';

const BOUNDS = { maxMessages: 256, maxBytes: 1_000_000 };

/** How many messages of a size a window lets go before one of them is settled. */
function admitted(window: PublishWindow, bytes: number): number {
  let count = 0;
  for (; count < 1_000 && window.admits(bytes); count++) window.sent(bytes);
  for (let settled = 0; settled < count; settled++) window.settled();
  return count;
}

function look(window: PublishWindow, waiting: number): void {
  window.looks();
  window.seen(waiting);
}

describe('the window of a publisher', () => {
  it('is one message until the queue was looked at, and several when it has room', () => {
    const window = new PublishWindow(BOUNDS);
    expect(admitted(window, 100)).toBe(1);
    look(window, 0);
    expect(admitted(window, 100)).toBe(32);
  });

  it('narrows as the queue fills, to one from half full on', () => {
    const window = new PublishWindow(BOUNDS);
    const widths = [0, 96, 100, 120, 127, 128, 256].map((waiting) => {
      look(window, waiting);
      return admitted(window, 100);
    });
    expect(widths).toEqual([32, 32, 28, 8, 1, 1, 1]);
  });

  it('narrows with the bytes that are likely to wait in the queue', () => {
    const window = new PublishWindow({ ...BOUNDS, maxBytes: 8_000_000 });
    const widths = [0, 60, 70, 78, 80].map((waiting) => {
      window.sent(50_000);
      window.settled();
      look(window, waiting);
      return admitted(window, 50_000);
    });
    expect(widths).toEqual([20, 20, 10, 2, 1]);
  });

  it('trusts a look for no more messages than it showed room for', () => {
    const window = new PublishWindow(BOUNDS);
    look(window, 100);
    for (let sent = 0; sent < 20; sent++) {
      window.sent(100);
      window.settled();
    }
    expect(admitted(window, 100)).toBe(8);
  });

  it('does not forget what was sent while the queue was looked at', () => {
    const window = new PublishWindow(BOUNDS);
    window.looks();
    for (let sent = 0; sent < 20; sent++) window.sent(100);
    for (let sent = 0; sent < 20; sent++) window.settled();
    window.seen(100);
    expect(admitted(window, 100)).toBe(8);
  });

  it('is one message again when the server refused one', () => {
    const window = new PublishWindow(BOUNDS);
    look(window, 0);
    window.refused();
    expect(admitted(window, 100)).toBe(1);
  });

  it('never has so much under way that it would fill a queue beyond what a look showed it', () =>
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 300 }),
        fc.integer({ min: 1, max: 5_000 }),
        fc.array(fc.record({ isLook: fc.boolean(), size: fc.nat(2_000) }), { maxLength: 100 }),
        (maxMessages, maxBytes, steps) => {
          const window = new PublishWindow({ maxMessages, maxBytes });
          const queue: number[] = [];
          const underWay: number[] = [];
          for (const { isLook, size } of steps) {
            if (isLook) {
              // The server has what was sent by now.
              queue.push(...underWay.splice(0).map((each) => (window.settled(), each)));
              look(window, queue.length);
            } else if (window.admits(size)) {
              window.sent(size);
              underWay.push(size);
              const isAlone = underWay.length === 1;
              expect(isAlone || queue.length + underWay.length <= maxMessages / 2 + 1).toBe(true);
            }
          }
        },
      ),
    ));

  it('lets no queue refuse a message and take a later one of the same publisher, of four that publish at once', () =>
    fc.assert(
      fc.property(
        fc.integer({ min: 64, max: 256 }),
        fc.array(fc.tuple(fc.nat(3), fc.constantFrom('look', 'send', 'send', 'arrive', 'arrive'), fc.nat(60)), {
          minLength: 50,
          maxLength: 200,
        }),
        (maxMessages, turns) => {
          const queue = { waiting: 0, maxMessages };
          const publishers = [0, 1, 2, 3].map(() => new SimulatedPublisher(queue));
          for (const publisher of publishers) {
            publisher.look();
            publisher.arrive();
          }
          for (const [index, turn, times] of turns) {
            for (let time = 0; time <= times; time++) publishers[index]?.[turn]();
          }
        },
      ),
      { numRuns: 500 },
    ));
});

/** What it sends arrives in the order of sending, whenever that is; nobody takes anything from the queue. */
class SimulatedPublisher {
  private readonly window: PublishWindow;
  private readonly channel: ('message' | 'look')[] = [];
  private isFull = false;

  constructor(private readonly queue: { waiting: number; maxMessages: number }) {
    this.window = new PublishWindow({ maxMessages: queue.maxMessages, maxBytes: 1_000_000 });
  }

  send(): void {
    if (this.isFull || !this.window.admits(1)) return;
    this.window.sent(1);
    this.channel.push('message');
  }

  look(): void {
    if (this.channel.includes('look')) return;
    this.window.looks();
    this.channel.push('look');
  }

  arrive(): void {
    const { queue, channel, window } = this;
    const arrived = channel.shift();
    if (arrived === 'look') {
      window.seen(queue.waiting);
      this.isFull = false;
    } else if (arrived === 'message') {
      window.settled();
      if (queue.waiting < queue.maxMessages) queue.waiting++;
      else this.refuse();
    }
  }

  private refuse(): void {
    expect(this.channel).not.toContain('message');
    this.window.refused();
    this.isFull = true;
  }
}
