import type { Random } from '@antelope-history/test-support/random';

/** A way to break something. `strike` resolves when what it broke works again, as far as the fault itself mends it. */
export interface Fault {
  /** Counted under this name. */
  name: string;
  strike(random: Random): Promise<void>;
}

/** The parts of a run that faults can break, with what is left to do when it ends. */
export interface SetUnderTest {
  /** URL of the gateway. */
  url: string;
  /** The faults of the service and of its servers. */
  faults: Fault[];
  /** Ends what a fault may have left: resumes what is suspended and admits what is refused. */
  calm(): Promise<void>;
  /** Processes that ended so often that they are no longer started, with their errors: the service cannot recover from that. */
  givenUp: readonly string[];
  /** What the processes logged, for a failed seed; removed with `stop`. */
  logFolder: string;
  stop(): Promise<void>;
}
