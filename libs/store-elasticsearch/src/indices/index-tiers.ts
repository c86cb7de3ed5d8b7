/** Ranges of blocks that are at least as old belong on the nodes whose attribute `history_tier` has the name. */
export interface Tier {
  /** Committed blocks above the newest block of the range. */
  fromAge: number;
  name: string;
}

/** The attribute of nodes, and the setting of an index that requires it. */
export const TIER_ATTRIBUTE = 'history_tier';

/** Reads `5000000:warm`; the schema of the configuration has checked the form. */
export function parseTiers(texts: readonly string[]): Tier[] {
  return texts.map((text) => {
    const [age = '', name = ''] = text.split(':');
    return { fromAge: Number(age), name };
  });
}

/** The tier of the range that ends with a block; undefined: any node. */
export function tierOf(lastBlock: number, committed: number, tiers: readonly Tier[]): string | undefined {
  const age = Math.max(0, committed - lastBlock);
  const due = tiers.filter(({ fromAge }) => fromAge <= age).sort((one, other) => other.fromAge - one.fromAge);
  return due[0]?.name;
}
