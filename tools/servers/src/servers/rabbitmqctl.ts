import { runCommand } from '../processes/command';

/** The command `rabbitmqctl` and the environment in which it reaches the server. */
export interface Rabbitmqctl {
  command: string[];
  environment: Record<string, string>;
}

/**
 * Keeps the schedulers of the command's Erlang node from spinning while they wait. Each turn yields the processor: beside four processes
 * that use two processors, a command took 14 to 20 s, and takes 2 s without. RabbitMQ starts the server with the same arguments.
 */
export const RABBITMQCTL_WITHOUT_SPINNING = { RABBITMQ_CTL_ERL_ARGS: '+sbwt none +sbwtdcpu none +sbwtdio none' };

/** For the server that the Debian package runs; usable by root and RabbitMQ's own user. */
export const INSTALLED_RABBITMQCTL: Rabbitmqctl = {
  command: ['rabbitmqctl'],
  environment: RABBITMQCTL_WITHOUT_SPINNING,
};

/** Passes a `Rabbitmqctl` to test processes as JSON. */
export const RABBITMQCTL_VARIABLE = 'HISTORY_TEST_RABBITMQCTL';

/** For the server that the environment names. */
export function findRabbitmqctl(): Rabbitmqctl {
  const given = process.env[RABBITMQCTL_VARIABLE];
  return given === undefined ? INSTALLED_RABBITMQCTL : (JSON.parse(given) as Rabbitmqctl);
}

/** The command starts an Erlang node of its own, which takes long on a machine with many other processes. */
const LIMIT_MS = 180_000;

/** Runs a command and returns its output. A command that reads input runs without `-q`: RabbitMQ 4 would read for ever. */
export function rabbitmqctl({ command, environment }: Rabbitmqctl, args: string[], input?: string): Promise<string> {
  return runCommand([...command, ...(input === undefined ? ['-q'] : []), ...args], {
    limitMs: LIMIT_MS,
    environment,
    ...(input !== undefined && { input }),
  });
}
