import { DockerfileParser } from 'dockerfile-ast';
import { validate } from 'dockerfile-utils';

/** One `FROM` with what follows it. */
export interface Stage {
  /** The image or the stage that it goes on from. */
  base: string;
  name: string;
  instructions: { keyword: string; text: string }[];
}

/** What Docker's parser would refuse of a Dockerfile, and what it would warn of. */
export function findDockerfileErrors(text: string): string[] {
  return validate(text).map(({ message, range }) => `${range.start.line + 1}: ${JSON.stringify(message)}`);
}

export function readStages(text: string): Stage[] {
  const lines = text.split('\n');
  const stages: Stage[] = [];
  for (const instruction of DockerfileParser.parse(text).getInstructions()) {
    const keyword = instruction.getKeyword();
    const { start, end } = instruction.getRange();
    const said = lines
      .slice(start.line, end.line + 1)
      .join('\n')
      .replace(/\\\n\s*/g, '')
      .slice(keyword.length)
      .trim();
    if (keyword === 'FROM') stages.push(toStage(said));
    else stages.at(-1)?.instructions.push({ keyword, text: said });
  }
  return stages;
}

/** What the instructions of a kind say in a stage. */
export function textsOf(stage: Stage, keyword: string): string[] {
  return stage.instructions.filter((instruction) => instruction.keyword === keyword).map(({ text }) => text);
}

/** `node:20 AS build` */
function toStage(from: string): Stage {
  const [base = '', , name = ''] = from.split(/\s+/);
  return { base, name, instructions: [] };
}
