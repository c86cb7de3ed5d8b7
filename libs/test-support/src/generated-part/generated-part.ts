import { readFileSync, writeFileSync } from 'node:fs';

/** The text between two lines of a document, which a command writes. Throws an `Error` when the document lacks one of the lines. */
export class GeneratedPart {
  private readonly begin: string;
  private readonly end: string;

  /** `begin` and `end`: the lines before and after the text. */
  constructor(
    private readonly file: string,
    lines: { begin: string; end: string },
  ) {
    this.begin = `${lines.begin}\n`;
    this.end = `${lines.end}\n`;
  }

  read(): string {
    return this.split().text;
  }

  write(text: string): void {
    const { before, after } = this.split();
    writeFileSync(this.file, `${before}${this.begin}\n${text}\n${this.end}${after}`);
  }

  private split(): { before: string; text: string; after: string } {
    const document = readFileSync(this.file, 'utf8');
    const [begin, end] = [document.indexOf(this.begin), document.indexOf(this.end)];
    if (begin < 0 || end < begin)
      throw new Error(`${this.file} lacks the lines "${this.begin.trim()}" and "${this.end.trim()}"`);
    return {
      before: document.slice(0, begin),
      text: document.slice(begin + this.begin.length + 1, end - 1),
      after: document.slice(end + this.end.length),
    };
  }
}
