import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** The document; the text between its marks is generated. */
const DOCUMENT = path.join(__dirname, '../../../../docs/sizing.md');
const BEGIN = '<!-- made by npm run sizing -- --write -->\n';
const END = '<!-- end of what npm run sizing makes -->\n';

/** The generated text that the document has now. */
export function readSection(): string {
  return splitDocument().section;
}

export function writeSection(section: string): void {
  const { before, after } = splitDocument();
  writeFileSync(DOCUMENT, `${before}${BEGIN}\n${section}\n${END}${after}`);
}

function splitDocument(): { before: string; section: string; after: string } {
  const document = readFileSync(DOCUMENT, 'utf8');
  const [begin, end] = [document.indexOf(BEGIN), document.indexOf(END)];
  if (begin < 0 || end < begin) throw new Error(`${DOCUMENT} lacks the marks "${BEGIN.trim()}" and "${END.trim()}"`);
  return {
    before: document.slice(0, begin),
    section: document.slice(begin + BEGIN.length + 1, end - 1),
    after: document.slice(end + END.length),
  };
}
