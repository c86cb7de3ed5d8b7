/** Global sequences from `start` to below `end`. */
export interface SequenceRange {
  start: number;
  end: number;
}
