import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { AppLogFile } from './app-log';

describe('the log file of an app', () => {
  let parent: string;
  beforeEach(() => (parent = mkdtempSync(path.join(tmpdir(), 'antelope-history-app-log-'))));
  afterEach(() => rmSync(parent, { recursive: true, force: true }));

  it('leaves out lines that cannot be written, and says how many when it can be written again', () => {
    const folder = path.join(parent, 'logs');
    const log = new AppLogFile(folder, 'app.log');
    log.append('first');
    renameSync(folder, path.join(parent, 'away'));
    log.append('second');
    log.append('third');
    mkdirSync(folder);
    log.append('fourth');
    log.append('fifth');
    const [note = '', ...lines] = readFileSync(log.file, 'utf8').trimEnd().split('\n');
    expect(JSON.parse(note)).toMatchObject({ level: 40, msg: '2 lines of this log could not be written' });
    expect(lines).toEqual(['fourth', 'fifth']);
  });

  it('begins a line of its own after a part of one, which a full disk took', () => {
    let isFull = false;
    const log = new AppLogFile(parent, 'app.log', (file, text) => {
      appendFileSync(file, isFull ? text.slice(0, 3) : text);
      if (isFull) throw new Error('ENOSPC');
    });
    log.append('first');
    isFull = true;
    log.append('second');
    log.append('third');
    isFull = false;
    log.append('fourth');
    log.append('fifth');
    const lines = readFileSync(log.file, 'utf8').trimEnd().split('\n');
    expect(lines).toEqual(['first', 'sec', '{"', expect.stringContaining('2 lines of this log'), 'fourth', 'fifth']);
  });

  it('is written again after a full file was removed that it would rename', () => {
    const file = path.join(parent, 'app.log');
    writeFileSync(file, '');
    truncateSync(file, 17 * 1024 * 1024);
    const log = new AppLogFile(parent, 'app.log');
    rmSync(file);
    for (const line of ['first', 'second', 'third']) log.append(line);
    expect(readFileSync(file, 'utf8').trimEnd().split('\n').slice(1)).toEqual(['second', 'third']);
  });
});
