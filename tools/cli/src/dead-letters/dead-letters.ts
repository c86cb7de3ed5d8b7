import { openBroker } from '@antelope-history/open-broker';
import { TOPOLOGY, type Broker, type Queue } from '@antelope-history/broker';
import { HistoryError } from '@antelope-history/schemas';
import { createLogger, loadConfig, parseOptions } from '@antelope-history/app-runtime';
import { withoutControls } from '@antelope-history/quick-start/progress';

export const USAGE = `npm run dead-letters -- [--config FILE] [--resend QUEUE]

Lists the dead letters of every queue with their reasons, and leaves them in place. --resend redelivers those of one queue
(${queueNames().join(', ')}): use it when the cause of their rejection is fixed.

It ends within half a minute when RabbitMQ cannot be reached.

Exit status: 0 done, 2 not done.
`;

/** With the last attempt to connect, which takes up to as long, half a minute. */
const GIVE_UP_MS = 15_000;

/** The parts of the process that the command uses. */
export interface CommandHost {
  args: string[];
  environment: NodeJS.ProcessEnv;
  print(line: string): void;
}

function queueNames(): string[] {
  return Object.values(TOPOLOGY).map(({ name }) => name);
}

/**
 * Lists or redelivers dead letters. Rejects with `CONFIG_INVALID` on a wrong command line or configuration, or with the errors of the
 * broker.
 */
export async function runDeadLetters({ args, environment, print }: CommandHost): Promise<void> {
  const { config: file, resend, help } = parseCommandLine(args);
  if (help) {
    print(USAGE);
    return;
  }
  const config = loadConfig(environment, { file, uses: ['broker'] });
  // The error with which it ends says what the log of each attempt would.
  const broker = await openBroker(config.broker, 'many processes', createLogger('dead-letters', 'silent'), {
    giveUpMs: GIVE_UP_MS,
  });
  try {
    if (resend === undefined) for (const queue of Object.values(TOPOLOGY)) await list(broker, queue, print);
    else print(`${resend}: ${await broker.redeliverDeadLetters(findQueue(resend))} messages redelivered`);
  } finally {
    await broker.close();
  }
}

function parseCommandLine(args: string[]): { config?: string; resend?: string; help?: boolean } {
  const options = { config: { type: 'string' }, resend: { type: 'string' }, help: { type: 'boolean' } } as const;
  return parseOptions(args, options);
}

function findQueue(name: string): Queue<unknown> {
  const queue = Object.values(TOPOLOGY).find((each) => each.name === name);
  if (!queue) throw new HistoryError('CONFIG_INVALID', `--resend: must be one of ${queueNames().join(', ')}`);
  return queue;
}

async function list(broker: Broker, queue: Queue<unknown>, print: (line: string) => void): Promise<void> {
  const { deadLetters } = await broker.depth(queue);
  print(`${queue.name}: ${deadLetters} dead letters`);
  for (const { reason } of await broker.deadLetters(queue)) {
    print(withoutControls(`  ${reason.code}  ${reason.message}`));
  }
}
