import { z } from 'zod';
import { GIB, MIB, caFile, seconds, shipUrl } from './field-types';

export const ship = z.strictObject({
  urls: z
    .array(shipUrl)
    .min(1)
    .default(['ws://127.0.0.1:8080'])
    .describe(
      'State history endpoints of nodes of one chain. The first reachable node is read; when its connection closes, the ' +
        'next one. A percent-encoded user and password in a URL are sent as HTTP Basic authentication, for a proxy in ' +
        'front of the node.',
    ),
  start_block: z
    .int()
    .min(0)
    .max(4294967295)
    .default(0)
    .describe('First block to index into an empty store; 0 = the first block that the node has.'),
  max_messages_in_flight: z
    .int()
    .min(1)
    .max(10_000)
    .default(64)
    .describe('Number of unacknowledged blocks that the node may send.'),
  max_message_bytes: z
    .int()
    .min(MIB)
    // ws stores the limit as a signed 32-bit integer; a larger value disables it.
    .max(2 * GIB - 1)
    .default(64 * MIB)
    .describe(
      'Largest message accepted from a node; a node that sends a larger one is refused. A message takes twice its size in ' +
        'memory, a malicious one up to ten times. The first message of a node started from a snapshot contains the whole ' +
        'state: raise the limit for it, then lower it again.',
    ),
  max_bytes_in_flight: z
    .int()
    .min(MIB)
    .max(16 * GIB)
    .default(64 * MIB)
    .describe(
      'Total size of messages that wait to be published; above it, reading from the node pauses. A single message may be ' +
        'larger.',
    ),
  reconnect_min_seconds: seconds
    .default(0.5)
    .describe('Delay before the first reconnect attempt; it doubles with each attempt.'),
  reconnect_max_seconds: seconds
    .default(30)
    .describe('Longest delay between two attempts; in the first minute of an outage it is at most two seconds.'),
  silence_seconds: z
    .number()
    .min(0)
    .max(86_400)
    .default(60)
    .describe(
      'Time without a block after which the connection is closed and the next node is tried: a node can stay connected and ' +
        'stand still. A large message counts while it arrives at 64 KiB per second or more. 0 = wait for ever, for a chain that pauses.',
    ),
  ca_file: caFile("the node's"),
});
