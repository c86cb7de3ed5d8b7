import { ABI_SIZE_ATTACKS } from './abi-size';
import type { Attack } from './attack';
import { BY_HAND } from './by-hand';
import { BULK_ATTACKS } from './bulk';
import { FIELD_NAME_ATTACKS } from './field-names';
import { PACKED_ATTACKS } from './packed';
import { STATE_ATTACKS } from './state';
import { TYPE_ATTACKS } from './types';

/** Attacks that are too large for the sample. */
export const ATTACKS_BY_HAND: readonly Attack[] = BY_HAND;

/** All attacks of the sample, in the order in which they are on the chain. */
export const ATTACKS: readonly Attack[] = [
  ...STATE_ATTACKS,
  ...FIELD_NAME_ATTACKS,
  ...TYPE_ATTACKS,
  ...BULK_ATTACKS,
  ...PACKED_ATTACKS,
  ...ABI_SIZE_ATTACKS,
];
