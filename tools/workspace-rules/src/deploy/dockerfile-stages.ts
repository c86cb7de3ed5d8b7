import { DockerfileParser, type Instruction, type ModifiableInstruction } from 'dockerfile-ast';
import { validate } from 'dockerfile-utils';

/** One `FROM` with the instructions after it. */
export interface Stage {
  /** The image or the stage that it builds on. */
  base: string;
  name: string;
  instructions: { keyword: string; text: string }[];
}

/** The errors and warnings of Docker's parser, with their lines. */
export function findDockerfileErrors(text: string): string[] {
  return validate(text).map(({ message, range }) => `${range.start.line + 1}: ${JSON.stringify(message)}`);
}

export function readStages(text: string): Stage[] {
  const dockerfile = DockerfileParser.parse(text);
  const froms = dockerfile.getFROMs();
  const stages: Stage[] = [];
  for (const instruction of dockerfile.getInstructions()) {
    const keyword = instruction.getKeyword();
    if (keyword === 'FROM') {
      const from = froms[stages.length];
      stages.push({ base: from?.getImage() ?? '', name: from?.getBuildStage() ?? '', instructions: [] });
    } else stages.at(-1)?.instructions.push({ keyword, text: argumentsOf(instruction) });
  }
  return stages;
}

/** The arguments of a stage's instructions with the given keyword. */
export function textsOf(stage: Stage, keyword: string): string[] {
  return stage.instructions.filter((instruction) => instruction.keyword === keyword).map(({ text }) => text);
}

/** With the flags, such as `--from=build`, which only some instructions have. */
function argumentsOf(instruction: Instruction): string {
  const flags = 'getFlags' in instruction ? (instruction as ModifiableInstruction).getFlags() : [];
  return [...flags.map(String), instruction.getArgumentsContent() ?? ''].join(' ');
}
