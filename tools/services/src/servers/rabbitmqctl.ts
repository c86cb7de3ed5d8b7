import { runCommand } from '../processes/command';

/** How RabbitMQ's administration is called: `rabbitmqctl` with what it needs to reach the server. */
export interface Rabbitmqctl {
  command: string[];
  environment: Record<string, string>;
}

/** Of the server of this machine as it is installed: for root and RabbitMQ's own user. */
export const INSTALLED_RABBITMQCTL: Rabbitmqctl = { command: ['rabbitmqctl'], environment: {} };

/** Tells test processes how to call it, as JSON. */
export const RABBITMQCTL_VARIABLE = 'HISTORY_TEST_RABBITMQCTL';

/** Of the server that the environment names. */
export function findRabbitmqctl(): Rabbitmqctl {
  const given = process.env[RABBITMQCTL_VARIABLE];
  return given === undefined ? INSTALLED_RABBITMQCTL : (JSON.parse(given) as Rabbitmqctl);
}

const LIMIT_MS = 60_000;

/** Runs a command of it; gives what it prints. One that reads also says what it does: RabbitMQ 4, if quiet, reads for ever. */
export function rabbitmqctl({ command, environment }: Rabbitmqctl, args: string[], input?: string): Promise<string> {
  return runCommand([...command, ...(input === undefined ? ['-q'] : []), ...args], {
    limitMs: LIMIT_MS,
    environment,
    ...(input !== undefined && { input }),
  });
}
