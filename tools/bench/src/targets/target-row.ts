/** A figure and the bound that it has to keep. */
export interface TargetRow {
  what: string;
  /** What the figure is a ratio to, or its unit. */
  against: string;
  measured: number;
  bound: 'at least' | 'at most';
  value: number;
}

export function isMet({ measured, bound, value }: TargetRow): boolean {
  return bound === 'at least' ? measured >= value : measured <= value;
}

/** The rows of a target for several figures: those that share what they are compared with, and the bound. */
export function rowsOf(
  target: Pick<TargetRow, 'against' | 'bound' | 'value'>,
  figures: readonly (readonly [what: string, measured: number])[],
): TargetRow[] {
  return figures.map(([what, measured]) => ({ ...target, what, measured }));
}
