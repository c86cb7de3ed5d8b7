import { setFlagsFromString } from 'node:v8';

/**
 * Makes V8 allocate all objects in the young generation. By default V8 watches for each place in the code how many of its objects
 * survive, and allocates them in the old generation when most of the first ones do ("allocation site pretenuring"). The lists of a
 * response can become such objects. The records that an old list holds are then kept and copied, although no request uses them,
 * until the old generation is collected: in about every second process, a block of 940 traces took 1.5 times the processor time
 * (docs/performance.md). V8 has the flag in Node.js 20 to 26; threads that start later have it, too.
 */
export function keepObjectsYoung(): void {
  setFlagsFromString('--no-allocation-site-pretenuring');
}
