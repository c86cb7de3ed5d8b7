import { identify, type ProcessIdentity } from './processes/process-identity';
import { SERVICE_NAMES } from './service-name';
import { holdServices, releaseServices, stopServices } from './services';

const USAGE = `npm run services        brings up Elasticsearch, RabbitMQ and Redis for tests and development
npm run services:stop   takes down what that started
`;

const say = (line: string): unknown => process.stdout.write(`${line}\n`);

const COMMANDS: Record<string, (pid: string | undefined) => Promise<unknown>> = {
  up,
  stop,
  /** Starts the servers and keeps them until that process ends. */
  hold: (pid) => holdServices(SERVICE_NAMES, processOf(pid), say),
  /** Ends that earlier. */
  release: (pid) => releaseServices(processOf(pid)),
};
/** The commands that take the number of a process. */
const WITH_PID = ['hold', 'release'];
/** As other commands whose command line is wrong. */
const WRONG_COMMAND_LINE = 2;

async function run(args: string[]): Promise<void> {
  const [name = '', pid] = args;
  const isHelp = args.includes('--help') || args.includes('-h');
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (!isHelp && command && args.length === (WITH_PID.includes(name) ? 2 : 1)) {
    await command(pid);
    return;
  }
  (isHelp ? process.stdout : process.stderr).write(USAGE);
  if (!isHelp) process.exitCode = WRONG_COMMAND_LINE;
}

async function up(): Promise<void> {
  const services = await holdServices(SERVICE_NAMES, 'everybody', say);
  for (const [name, { url }] of services.available) say(`${name.padEnd(13)}  ${url}`);
  for (const [name, reason] of services.missing) say(`${name.padEnd(13)}  missing: ${reason}`);
  if (services.missing.size > 0) process.exitCode = 1;
}

async function stop(): Promise<void> {
  const holders = await stopServices();
  if (holders.length > 0) say(`In use by process ${holders.join(', ')}: they stop when it has ended.`);
}

function processOf(pid: string | undefined): ProcessIdentity {
  const identity = identify(Number(pid));
  if (!identity) throw new Error(`there is no process ${pid ?? ''}`);
  return identity;
}

run(process.argv.slice(2)).catch((error: unknown) => {
  process.stderr.write(`services: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
