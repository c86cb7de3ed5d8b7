import { ATTACKS, ATTACKS_BY_HAND } from './attacks/all-attacks';
import type { Attack } from './attacks/attack';
import { HostileChain } from './hostile-chain';

/** Blocks at the end, so that the attacks are irreversible when requests are sent. */
const LAST_BLOCKS = 6;

/** The attacks of these names; those of the sample when none is given. */
export function chooseAttacks(names?: readonly string[]): readonly Attack[] {
  return names ? [...ATTACKS, ...ATTACKS_BY_HAND].filter(({ name }) => names.includes(name)) : ATTACKS;
}

/** Writes a chain with some attacks, by default all of the sample. The result is deterministic. */
export function generateHostileChain(attacks: readonly Attack[] = ATTACKS): HostileChain {
  const chain = new HostileChain();
  for (const attack of attacks) {
    chain.attack = attack.name;
    attack.write(chain);
  }
  chain.attack = 'none';
  for (let block = 0; block < LAST_BLOCKS; block++) chain.block();
  return chain;
}
