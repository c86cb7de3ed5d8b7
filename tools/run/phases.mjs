/** The consecutive phases of a run and how long each took. */
export class Phases {
  #startedAt = Date.now();
  #finished = [];
  #current;

  begin(name) {
    this.#end();
    this.#current = { name, startedAt: Date.now() };
  }

  /** Names and milliseconds of all phases, then of the whole. */
  finish() {
    this.#end();
    return [...this.#finished, ['in total', Date.now() - this.#startedAt]];
  }

  #end() {
    if (this.#current) this.#finished.push([this.#current.name, Date.now() - this.#current.startedAt]);
    this.#current = undefined;
  }
}
