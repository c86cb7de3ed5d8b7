/** Milliseconds since 1970, as the machine has them: its clock may be set, also back. For what clients or other processes compare. */
export const wallClock = (): number => Date.now();

/** Milliseconds of a clock that nobody sets. For ages and pauses: by the other clock, one set back by an hour would last an hour longer. */
export const steadyClock = (): number => performance.now();
