import os from 'node:os';

/** The consecutive phases of a run: how long each took, and the share of the processors' time that this machine used. */
export class Phases {
  #first = now();
  #finished = [];
  #current;

  begin(name) {
    this.#end();
    this.#current = { name, start: now() };
  }

  /** Name, milliseconds and busy share (0 to 1) of all phases, then of the whole. */
  finish() {
    this.#end();
    return [...this.#finished, phaseSince('in total', this.#first)];
  }

  #end() {
    if (this.#current) this.#finished.push(phaseSince(this.#current.name, this.#current.start));
    this.#current = undefined;
  }
}

function phaseSince(name, start) {
  const end = now();
  const passed = end.busy - start.busy + end.idle - start.idle;
  return { name, milliseconds: end.at - start.at, busy: passed > 0 ? (end.busy - start.busy) / passed : 0 };
}

/** Processor times are those of the whole machine, other programs included. */
function now() {
  const times = os.cpus().map((processor) => processor.times);
  const sum = (of) => times.reduce((total, time) => total + of(time), 0);
  return {
    at: Date.now(),
    busy: sum(({ user, nice, sys, irq }) => user + nice + sys + irq),
    idle: sum((time) => time.idle),
  };
}
