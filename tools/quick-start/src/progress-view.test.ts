import { Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';
import { createProgressView } from './progress-view';

const PROGRESS = {
  firstBlock: 400_000_001,
  block: 400_000_100,
  target: 400_000_200,
  blocksPerSecond: 1_000,
  actionsPerSecond: 2_000,
  secondsLeft: 60,
};

/** A terminal that keeps what is written to it. */
function createTerminal(options: { columns?: number; colors?: boolean; isTTY?: boolean }) {
  const written: string[] = [];
  const stream = new Writable({
    write(chunk, _encoding, done) {
      written.push(String(chunk));
      done();
    },
  });
  const terminal = Object.assign(stream, {
    isTTY: options.isTTY ?? true,
    columns: options.columns ?? 80,
    hasColors: () => options.colors ?? false,
    cursorTo: () => true,
    moveCursor: () => true,
    clearLine: () => true,
    clearScreenDown: () => true,
  });
  return { view: createProgressView(terminal as unknown as NodeJS.WriteStream), text: () => written.join('') };
}

/** Until the bar, which is drawn ten times a second, shows a text. */
async function untilShown(text: () => string, part: string): Promise<void> {
  while (!text().includes(part)) await sleep(20);
}

describe('the progress bar', () => {
  it('counts from the first block that is indexed', async () => {
    const { view, text } = createTerminal({});
    view.show(PROGRESS);
    await untilShown(text, '400,000,100');
    view.close();
    const bar = /[█░]{24}/.exec(stripVTControlCharacters(text()))?.[0] ?? '';
    expect(bar.replaceAll('░', '')).toHaveLength(12);
  });

  it('never takes more than one line of the terminal', async () => {
    const { view, text } = createTerminal({ columns: 50 });
    view.show(PROGRESS);
    await untilShown(text, '400,000,100');
    view.close();
    const lines = stripVTControlCharacters(text()).split(/[\r\n]/);
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(50);
  });

  it('lets the terminal wrap the lines that are printed beside it, and loses none at the end', () => {
    const { view, text } = createTerminal({ columns: 50 });
    const advice = 'a warning whose advice at the end is longer than the terminal is wide: do this';
    view.show(PROGRESS);
    view.print(advice, 'warning');
    view.close();
    expect(text()).toContain(advice);
    // The control sequence that switches wrapping off (DECAWM).
    expect(text()).not.toContain('\u001B[?7l');
  });
});

describe('lines on a terminal', () => {
  it('are coloured by their tone where it has colours', () => {
    const { view, text } = createTerminal({ colors: true });
    view.print('fine', 'good');
    view.print('broken', 'error');
    view.print('plain');
    expect(text()).toBe('\u001B[32mfine\u001B[39m\n\u001B[31mbroken\u001B[39m\nplain\n');
  });

  it('have no control sequences where it has none', () => {
    const { view, text } = createTerminal({ colors: false });
    view.field('Data', '/data');
    view.field('Gateway', 'http://127.0.0.1');
    view.print('broken', 'error');
    expect(text()).toBe('Data     /data\nGateway  http://127.0.0.1\nbroken\n');
  });

  it.each([true, false])('cannot be steered by the texts of others, on a terminal: %s', (isTTY) => {
    const { view, text } = createTerminal({ isTTY });
    view.field('Node', 'ws://node\u001b]0;title\u0007');
    view.print('it says\r\n\u009b2Jready', 'warning');
    expect(text()).toBe('Node     ws://node ]0;title \nit says   2Jready\n');
  });
});
