import { hash } from 'node:crypto';
import { type Digest, digestOf, DigestWriter } from './digest-writer';

/** Digests are computed one after another, so one buffer serves all. */
let sharedWriter: DigestWriter | undefined;

/**
 * The digest of an action in the receipts of its traces: of the action alone (`returnValue` undefined), or, once the protocol feature
 * ACTION_RETURN_VALUE is active, of the digests of its base and of its data with the value that it returned (nodeos
 * libraries/chain/include/eosio/chain/action.hpp, generate_action_digest). `base`: account, name and authorization, as packed.
 */
export function actDigest(base: Buffer, data: Buffer, returnValue: Buffer | undefined): Digest {
  return digestOf(hashedBytes(base, data, returnValue));
}

/** The bytes that are hashed: a view that the next call overwrites. */
function hashedBytes(base: Buffer, data: Buffer, returnValue: Buffer | undefined): Buffer {
  const writer = (sharedWriter ??= new DigestWriter());
  if (!returnValue) {
    writer.bytes(base);
    writer.lengthPrefixed(data);
  } else {
    writer.lengthPrefixed(data);
    writer.lengthPrefixed(returnValue);
    const dataDigest = writer.digest();
    writer.latin1(digestOf(base));
    writer.latin1(dataDigest);
  }
  const bytes = writer.view(0);
  writer.clear();
  return bytes;
}

/**
 * Computes the digests of one action's traces. The digest of a trace without a return value is computed once, because most
 * notifications return none.
 */
export class ActDigests {
  private ofNoValue: Digest | undefined;
  private hexOfNoValue: string | undefined;

  /** `coverReturnValue`: whether the protocol feature was active. */
  constructor(
    private readonly base: Buffer,
    private readonly data: Buffer,
    readonly coverReturnValue: boolean,
  ) {}

  /** The digest in the receipt of a trace that returned this value. */
  of(returnValue: Buffer): Digest {
    if (this.isOfNoValue(returnValue)) return (this.ofNoValue ??= digestOf(this.hashed(returnValue)));
    return digestOf(this.hashed(returnValue));
  }

  /** The same in hex, for responses. The digest takes most of the time of rendering a receipt, and a conversion would add to it. */
  hexOf(returnValue: Buffer): string {
    if (this.isOfNoValue(returnValue)) return (this.hexOfNoValue ??= hash('sha256', this.hashed(returnValue), 'hex'));
    return hash('sha256', this.hashed(returnValue), 'hex');
  }

  private isOfNoValue(returnValue: Buffer): boolean {
    return !this.coverReturnValue || returnValue.length === 0;
  }

  private hashed(returnValue: Buffer): Buffer {
    return hashedBytes(this.base, this.data, this.coverReturnValue ? returnValue : undefined);
  }
}
