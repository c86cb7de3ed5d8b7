import { openSample, type Recording } from '@antelope-history/test-support/recordings';
import { createShipReplay, type ShipReplay } from '@antelope-history/ship-replay';
import { ShipClient } from './ship-client';
import { readTranscript, recordingOfTranscript, type Session, type TranscriptFrame } from './transcript';

/** Long enough for an unexpected frame to arrive. */
const SILENCE_MS = 60;

/**
 * Plays a recorded session against the server and returns the frames in the form of the transcript. The head of the recorded
 * node advanced by the wall clock; here it moves to the head of each frame of the transcript just before that frame is due.
 */
async function play(replay: ShipReplay, session: Session): Promise<TranscriptFrame[]> {
  const client = await ShipClient.connect(replay.url);
  const seen: TranscriptFrame[] = [];
  const frames = session.frames.slice(1);
  for (const [index, frame] of frames.entries()) {
    const head = headOf(frame) ?? headOf(frames[index + 1]);
    if (head !== undefined && frame.dir !== 'close') replay.advance(Math.max(0, head - replay.stats.headBlockNum));
    if (frame.dir === 'out')
      client.send(typeof frame.text === 'string' ? frame.text : Buffer.from(frame.hex ?? '', 'hex'));
    if (frame.dir === 'in') seen.push({ dir: 'in', hex: (await client.next(1000))?.toString('hex') });
    if (frame.dir === 'close') seen.push({ dir: 'close', code: await client.closed });
  }
  while (seen.at(-1)?.dir !== 'close') {
    const frame = await client.next(SILENCE_MS);
    if (!frame) break;
    seen.push({ dir: 'in', hex: frame.toString('hex') });
  }
  client.close();
  return seen;
}

/** The head in a frame of the node: results and status begin with it, after the tag. */
function headOf(frame: TranscriptFrame | undefined): number | undefined {
  if (frame?.dir !== 'in' || frame.hex === undefined) return undefined;
  return Buffer.from(frame.hex, 'hex').readUInt32LE(1);
}

/** The frames of the node after the ABI frame, and how it closed the connection. */
function expected(session: Session): TranscriptFrame[] {
  return session.frames
    .slice(1)
    .filter(({ dir }) => dir !== 'out')
    .map(({ dir, hex, code }) => (dir === 'close' ? { dir, code } : { dir, hex }));
}

describe.each([
  { node: 'leap-4.0.6', sample: 'leap-edge', lagOfLib: 1, position: 'end' },
  { node: 'eosio-2.0.13', sample: 'eosio20-edge', lagOfLib: 2, position: undefined },
] as const)('the recorded sessions with $node', ({ node, sample, lagOfLib, position }) => {
  const sessions = readTranscript(node);
  const { abi } = openSample(sample);
  const recording: Recording = recordingOfTranscript(sessions, abi, lagOfLib);
  let replay: ShipReplay;

  beforeAll(async () => {
    const [first] = sessions;
    const played = recording.messages.findIndex(({ thisBlock }) => thisBlock?.num === first?.head_before) + 1;
    replay = await createShipReplay({ recording, pace: 'manual', position: position ?? played });
  });
  afterAll(() => replay.close());

  it('are seventeen, each with an ABI frame of the same length as the sample', () => {
    expect(sessions).toHaveLength(17);
    for (const { frames } of sessions) expect(frames[0]).toMatchObject({ text: true, bytes: abi.length });
  });

  // In order, because the head of a producing node only advances.
  it.each(sessions.map((session) => [session.name, session] as const))('%s', async (_name, session) => {
    expect(await play(replay, session)).toEqual(expected(session));
  });
});
