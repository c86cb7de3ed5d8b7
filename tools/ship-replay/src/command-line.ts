import { parseArgs } from 'node:util';
import type { ReplayFaults } from './replay-faults';
import type { ShipReplayOptions } from './ship-replay';

export const USAGE = `ship-replay --recording DIR [options]

Serves a recorded chain on a state history websocket, as the node did that it was recorded from.

  --recording DIR    folder with ship.abi.json and messages.ship.gz
  --host HOST        address to listen on (default 127.0.0.1)
  --port N           port to listen on (default 8080; 0 takes any free one)
  --speed N          messages a second, from the first blocks request on; without it, as fast as clients take them
  --position N       messages that the node holds at the start (default 1)
  --at-end           the node holds the whole recording: only the final branch is seen
  --chain-id HEX     chain id for the status, when the recording does not carry it
  --drop-after N     cut each connection after N messages
  --delay MS         milliseconds between two messages to a client
  --help             this text
`;

/** Parses a command line: `help`, or the options of a server. Throws an `Error` that names the wrong option. */
export function parseCommandLine(args: string[]): 'help' | (ShipReplayOptions & { recording: string }) {
  const { values } = parseArgs({
    args,
    options: {
      recording: { type: 'string' },
      host: { type: 'string', default: '127.0.0.1' },
      port: { type: 'string', default: '8080' },
      speed: { type: 'string' },
      position: { type: 'string' },
      'at-end': { type: 'boolean' },
      'chain-id': { type: 'string' },
      'drop-after': { type: 'string' },
      delay: { type: 'string' },
      help: { type: 'boolean' },
    },
  });
  if (values.help) return 'help';
  if (values.recording === undefined) throw new Error('--recording is required');
  if (values['at-end'] && values.position !== undefined) throw new Error('--at-end and --position exclude each other');
  const faults: ReplayFaults = {
    dropAfter: optionalInteger('drop-after', values['drop-after'], 1),
    delayMs: optionalInteger('delay', values.delay, 0),
  };
  return {
    recording: values.recording,
    host: values.host,
    port: integer('port', values.port, 0, 65535),
    pace: values.speed === undefined ? 'demand' : rate('speed', values.speed),
    position: values['at-end'] ? 'end' : optionalInteger('position', values.position, 1),
    chainId: optionalChainId(values['chain-id']),
    faults,
  };
}

function integer(option: string, text: string, min: number, max = Number.MAX_SAFE_INTEGER): number {
  const value = /^\d+$/.test(text) ? Number(text) : NaN;
  if (!(value >= min && value <= max))
    throw new Error(`--${option} takes an integer from ${min} to ${max}, not ${text}`);
  return value;
}

function optionalInteger(option: string, text: string | undefined, min: number): number | undefined {
  return text === undefined ? undefined : integer(option, text, min);
}

function rate(option: string, text: string): number {
  const value = Number(text);
  if (!(value > 0 && value < Infinity)) throw new Error(`--${option} takes a number above 0, not ${text}`);
  return value;
}

function optionalChainId(text: string | undefined): string | undefined {
  if (text !== undefined && !/^[0-9a-f]{64}$/i.test(text)) throw new Error('--chain-id takes 64 hex digits');
  return text;
}
