import {
  createRecording,
  type RecordedMessage,
  type Recording,
  type ResultSection,
} from '@antelope-history/test-support/recordings';

/** A recording whose messages from an index on lack a part, as those of a node that does not write this log any more. */
export function withoutPart({ abi, messages }: Recording, part: 'traces' | 'deltas', from: number): Recording {
  const cut = (message: RecordedMessage): Buffer =>
    message.index < from ? message.bytes : withoutSection(message.bytes, message[part]);
  return createRecording(abi, messages.map(cut));
}

/** An optional section is a flag byte and its contents. */
function withoutSection(bytes: Buffer, { flag, end, present }: ResultSection): Buffer {
  return present ? Buffer.concat([bytes.subarray(0, flag), Buffer.of(0), bytes.subarray(end)]) : bytes;
}

/**
 * A recording in which the data of one action are altered, as by a fault of a node's disk: those of `onblock`, which are the
 * header of the previous block.
 */
export function withAltered({ abi, messages }: Recording, index: number): Recording {
  const [previous, message] = messages.slice(index - 1, index + 1) as [RecordedMessage, RecordedMessage];
  const header = previous.bytes.subarray(previous.block.start + 10, previous.block.start + 60);
  const at = message.bytes.indexOf(header, message.traces.start);
  if (at < 0) throw new Error(`the message ${index} has no onblock`);
  const altered = Buffer.from(message.bytes);
  altered[at] = (altered[at] as number) ^ 1;
  return createRecording(
    abi,
    messages.map(({ bytes }, each) => (each === index ? altered : bytes)),
  );
}

/** The messages of a node whose logs begin with one of these, which then names no previous block. */
export function fromFirst(messages: readonly Buffer[], first: number): Buffer[] {
  const [message, ...rest] = messages.slice(first);
  return [withoutPrevious(message as Buffer), ...rest];
}

/** `prev_block` follows the variant tag, two positions, and the flag and the position of `this_block`. */
function withoutPrevious(message: Buffer): Buffer {
  const at = 1 + 36 + 36 + 1 + 36;
  return Buffer.concat([message.subarray(0, at), Buffer.of(0), message.subarray(at + 1 + 36)]);
}
