import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
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
});
