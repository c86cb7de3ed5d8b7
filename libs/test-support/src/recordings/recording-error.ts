/** A recording folder or one of its files is missing, cut short or not of the format; the message says which and where. */
export class RecordingError extends Error {
  override readonly name = 'RecordingError';
}
