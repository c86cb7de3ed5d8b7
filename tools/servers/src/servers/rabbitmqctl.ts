import { runCommand } from '../processes/command';

/** The command `rabbitmqctl` and the environment in which it reaches the server. */
export interface Rabbitmqctl {
  command: string[];
  environment: Record<string, string>;
}

/** For the server that the Debian package runs; usable by root and RabbitMQ's own user. */
export const INSTALLED_RABBITMQCTL: Rabbitmqctl = { command: ['rabbitmqctl'], environment: {} };

/** Passes a `Rabbitmqctl` to test processes as JSON. */
export const RABBITMQCTL_VARIABLE = 'HISTORY_TEST_RABBITMQCTL';

/** For the server that the environment names. */
export function findRabbitmqctl(): Rabbitmqctl {
  const given = process.env[RABBITMQCTL_VARIABLE];
  return given === undefined ? INSTALLED_RABBITMQCTL : (JSON.parse(given) as Rabbitmqctl);
}

/** The command starts an Erlang node of its own, which takes a minute on a machine with many other processes. */
const LIMIT_MS = 180_000;

/** Runs a command and returns its output. A command that reads input runs without `-q`: RabbitMQ 4 would read for ever. */
export function rabbitmqctl({ command, environment }: Rabbitmqctl, args: string[], input?: string): Promise<string> {
  return runCommand([...command, ...(input === undefined ? ['-q'] : []), ...args], {
    limitMs: LIMIT_MS,
    environment,
    ...(input !== undefined && { input }),
  });
}
