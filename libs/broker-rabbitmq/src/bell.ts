/** Lets one wait until another has changed something. */
export class Bell {
  private wake: (() => void) | undefined;
  private rung: Promise<void> | undefined;

  /** Resolves at the next ring. */
  wait(): Promise<void> {
    this.rung ??= new Promise((resolve) => (this.wake = resolve));
    return this.rung;
  }

  ring(): void {
    this.wake?.();
    this.wake = undefined;
    this.rung = undefined;
  }
}
