import { ByteReader, readName } from '@antelope-history/abi';
import { HistoryError } from '@antelope-history/schemas';
import type { ActDigests } from './act-digest';
import type { ActionReceipt } from './action-record';
import { DIGEST_BYTES } from './digest-writer';
import { readVaruint } from './read-varuint';
import { receiptActors } from './receipt-actors';
import { readPairs, skipPairs } from './record-pairs';

/** How much of a computed digest a record holds: enough to find that its action was damaged, all but once in 65,536 times. */
export const DIGEST_CHECK_BYTES = 2;

const EMPTY = Buffer.alloc(0);
const RECV_SEQUENCE_BYTES = 8;

/**
 * A receipt that reads its digest and the sequences of accounts from the record when they are used: a block of the trace API shows
 * none of them, and they are most of the objects and of the garbage of its traces.
 */
export abstract class RecordReceipt implements ActionReceipt {
  /** What the trace returned, which its digest may cover. */
  returnValue: Buffer = EMPTY;

  protected constructor(
    protected readonly bytes: Buffer,
    private readonly digestAt: number,
    /** The receipt that has the same digest, which the record does not repeat. */
    private readonly same: RecordReceipt | undefined,
    /** The digests of the action, if the receipt's digest is computed from it. */
    private readonly digests: ActDigests | undefined,
    readonly globalSequence: number,
    readonly codeSequence: number,
    readonly abiSequence: number,
  ) {}

  abstract get recvSequence(): bigint;
  abstract get authSequence(): ActionReceipt['authSequence'];

  /** Throws `DECODE_FAILED` when a computed digest shows that the record was damaged. */
  get actDigest(): string {
    if (this.same) return this.same.actDigest;
    if (!this.digests) return this.bytes.toString('hex', this.digestAt, this.digestAt + DIGEST_BYTES);
    const digest = this.digests.hexOf(this.returnValue);
    assertDigestCheck(digest, 'hex', this.bytes, this.digestAt);
    return digest;
  }
}

/** A receipt whose fields are all in the record. */
export class WholeReceipt extends RecordReceipt {
  private constructor(
    bytes: Buffer,
    private readonly recvSequenceAt: number,
    same: RecordReceipt | undefined,
    digests: ActDigests | undefined,
    private readonly authSequenceAt: number,
    globalSequence: number,
    codeSequence: number,
    abiSequence: number,
  ) {
    super(bytes, recvSequenceAt + RECV_SEQUENCE_BYTES, same, digests, globalSequence, codeSequence, abiSequence);
  }

  static read(
    reader: ByteReader,
    firstSequence: number,
    same: RecordReceipt | undefined,
    digests: ActDigests | undefined,
  ): WholeReceipt {
    const globalSequence = firstSequence + readVaruint(reader);
    const at = reader.offset;
    reader.skip(RECV_SEQUENCE_BYTES);
    if (!same) reader.skip(digests ? DIGEST_CHECK_BYTES : DIGEST_BYTES);
    const authAt = reader.offset;
    skipPairs(reader);
    const [code, abi] = [reader.varuint32(), reader.varuint32()];
    return new WholeReceipt(reader.bytes, at, same, digests, authAt, globalSequence, code, abi);
  }

  get recvSequence(): bigint {
    return this.bytes.readBigUInt64LE(this.recvSequenceAt);
  }

  get authSequence(): ActionReceipt['authSequence'] {
    return readPairs(new ByteReader(this.bytes, this.authSequenceAt), (account, at) => ({
      account,
      sequence: this.bytes.readBigUInt64LE(at),
    }));
  }
}

/** A receipt whose record leaves out what follows from its action and, for a notification, from the receipt of the contract itself. */
export class DerivedReceipt extends RecordReceipt {
  private constructor(
    bytes: Buffer,
    digestAt: number,
    same: RecordReceipt | undefined,
    digests: ActDigests | undefined,
    globalSequence: number,
    codeSequence: number,
    abiSequence: number,
    private readonly received: number,
    /** The packed account, name and authorization of the action. */
    private readonly base: Buffer,
    /** Position of the sequences of the accounts in the receipt of the contract itself. */
    private readonly sequencesAt: number,
    /** How many receipts of the action precede this one: each has raised the sequences by one. */
    private readonly preceding: number,
  ) {
    super(bytes, digestAt, same, digests, globalSequence, codeSequence, abiSequence);
  }

  /** Reads the receipt of the contract itself; `actors`: the number of accounts in `auth_sequence`. */
  static readOwn(
    reader: ByteReader,
    firstSequence: number,
    digests: ActDigests | undefined,
    base: Buffer,
    actors: number,
  ): DerivedReceipt {
    const globalSequence = firstSequence + readVaruint(reader);
    const received = readVaruint(reader);
    const digestAt = reader.offset;
    reader.skip(digests ? DIGEST_CHECK_BYTES : DIGEST_BYTES);
    const at = reader.offset;
    for (let index = 0; index < actors; index++) readVaruint(reader);
    const [code, abi] = [reader.varuint32(), reader.varuint32()];
    return new DerivedReceipt(
      reader.bytes,
      digestAt,
      undefined,
      digests,
      globalSequence,
      code,
      abi,
      received,
      base,
      at,
      0,
    );
  }

  /** Reads the receipt of a notification; `own`: that of the contract. */
  static readFurther(
    reader: ByteReader,
    same: RecordReceipt | undefined,
    digests: ActDigests | undefined,
    own: DerivedReceipt,
    preceding: number,
  ): DerivedReceipt {
    const received = readVaruint(reader);
    const digestAt = reader.offset;
    if (!same) reader.skip(digests ? DIGEST_CHECK_BYTES : DIGEST_BYTES);
    const { globalSequence, codeSequence, abiSequence, base, sequencesAt } = own;
    return new DerivedReceipt(
      reader.bytes,
      digestAt,
      same,
      digests,
      globalSequence + preceding,
      codeSequence,
      abiSequence,
      received,
      base,
      sequencesAt,
      preceding,
    );
  }

  get recvSequence(): bigint {
    return BigInt(this.received);
  }

  get authSequence(): ActionReceipt['authSequence'] {
    const reader = new ByteReader(this.bytes, this.sequencesAt);
    return receiptActors(this.base).map((at) => ({
      account: readName(this.base, at),
      sequence: BigInt(readVaruint(reader) + this.preceding),
    }));
  }
}

/** Throws `DECODE_FAILED` unless a computed digest begins with the bytes that the record has of it, from `start` on. */
export function assertDigestCheck(digest: string, encoding: 'latin1' | 'hex', bytes: Buffer, start: number): void {
  if (digest.startsWith(bytes.toString(encoding, start, start + DIGEST_CHECK_BYTES))) return;
  throw new HistoryError('DECODE_FAILED', 'the digest of an action is not the one that it had when it was recorded');
}

/** A receipt whose fields are values of its own: for a caller that changes some or compares them. */
export function copyReceipt(receipt: ActionReceipt): ActionReceipt {
  const { actDigest, globalSequence, recvSequence, authSequence, codeSequence, abiSequence } = receipt;
  return { actDigest, globalSequence, recvSequence, authSequence, codeSequence, abiSequence };
}
