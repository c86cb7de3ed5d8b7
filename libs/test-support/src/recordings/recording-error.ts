/** A recording folder or one of its files is missing, truncated or malformed; the message names the file and the offset. */
export class RecordingError extends Error {
  override readonly name = 'RecordingError';
}
