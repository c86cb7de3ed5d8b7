import { Argument, type Command } from 'commander';
import type { CommandHost } from './program';
import { PROGRAMS } from './programs';

const SHELLS = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof SHELLS)[number];

/** A command and its options. */
interface Completed {
  name: string;
  options: string[];
}

const HOW = `Add one line to the start-up file of the shell:
  bash: source <(antelope-history completion bash)
  zsh:  source <(antelope-history completion zsh)
  fish: antelope-history completion fish | source`;

export function addCompletion(program: Command, { output }: Pick<CommandHost, 'output'>): void {
  program
    .command('completion')
    .description('print the script that lets a shell complete these commands')
    .addArgument(new Argument('<shell>').choices(SHELLS))
    .addHelpText('after', `\n${HOW}`)
    .action(async (shell: Shell) => void output.write(renderCompletion(shell, await listCommands(program))));
}

async function listCommands(program: Command): Promise<Completed[]> {
  const listed = program.commands.map(async (command) => {
    const own = PROGRAMS.find(({ name }) => name === command.name());
    const options = own ? optionsIn(await own.usage()) : command.options.flatMap(({ long }) => long ?? []);
    return { name: command.name(), options: [...new Set([...options, '--help'])].sort() };
  });
  return Promise.all(listed);
}

/** A help text names every option. */
function optionsIn(usage: string): string[] {
  return usage.match(/(?<![\w-])--[a-z][a-z-]*/g) ?? [];
}

/** Commands complete the first word, their options the following ones, and files everything else. */
function renderCompletion(shell: Shell, commands: Completed[]): string {
  const names = commands.map(({ name }) => name).join(' ');
  switch (shell) {
    case 'bash':
      return `_antelope_history() {
  local word=\${COMP_WORDS[COMP_CWORD]}
  if ((COMP_CWORD == 1)); then COMPREPLY=($(compgen -W '${names}' -- "$word")); return; fi
  [[ $word == -* ]] || return
  case \${COMP_WORDS[1]} in
${commands.map(({ name, options }) => `    ${name}) COMPREPLY=($(compgen -W '${options.join(' ')}' -- "$word")) ;;`).join('\n')}
  esac
}
complete -o default -F _antelope_history antelope-history
`;
    case 'zsh':
      return `_antelope_history() {
  if ((CURRENT == 2)); then compadd -- ${names}; return; fi
  case $words[2] in
${commands.map(({ name, options }) => `    ${name}) [[ $PREFIX == -* ]] && compadd -- ${options.join(' ')} || _files ;;`).join('\n')}
  esac
}
compdef _antelope_history antelope-history
`;
    case 'fish':
      return [
        `complete -c antelope-history -n __fish_use_subcommand -f -a '${names}'`,
        ...commands.flatMap(({ name, options }) =>
          options.map(
            (option) => `complete -c antelope-history -n '__fish_seen_subcommand_from ${name}' -l ${option.slice(2)}`,
          ),
        ),
        '',
      ].join('\n');
  }
}
