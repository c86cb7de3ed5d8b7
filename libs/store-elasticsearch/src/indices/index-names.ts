import { createHash } from 'node:crypto';
import { type RangeLayout, rangeStart } from './block-ranges';

/** Document kinds with one index per range of block numbers: `block-ranges.ts`. */
export const RANGED_KINDS = ['actions', 'blocks', 'bodies'] as const;
export type RangedKind = (typeof RANGED_KINDS)[number];

/** Document kinds with one index each. */
export const SINGLE_KINDS = ['abis', 'permissions', 'journal', 'progress'] as const;
export type SingleKind = (typeof SINGLE_KINDS)[number];

/** `directory`: see `directory.ts`. */
export type DocumentKind = RangedKind | SingleKind | 'directory';

/** The digits of the highest block number: names then sort as numbers. */
const BLOCK_NUM_DIGITS = 10;

/** Which blocks a write term is for: those that a fork could replace when their message was sent, or irreversible ones. */
export type FencedBlocks = 'reversible' | 'irreversible';

/** Between an index and a write term in the name of a write alias. */
const TERM: Readonly<Record<FencedBlocks, string>> = { reversible: '-term-', irreversible: '-history-' };
const TERM_PATTERN: Readonly<Record<FencedBlocks, RegExp>> = {
  reversible: /-term-(\d+)$/,
  irreversible: /-history-(\d+)$/,
};

/** The names of all indices of one prefix. */
export class IndexNames {
  readonly abis: string;
  readonly permissions: string;
  readonly journal: string;
  readonly progress: string;
  /** Aliases of the indices of all ranges; they exist once a block was written. */
  readonly actions: string;
  readonly blocks: string;
  readonly bodies: string;

  constructor(readonly prefix: string) {
    this.abis = this.of('abis');
    this.permissions = this.of('permissions');
    this.journal = this.of('journal');
    this.progress = this.of('progress');
    this.actions = this.of('actions');
    this.blocks = this.of('blocks');
    this.bodies = this.of('bodies');
  }

  /**
   * Matches all indices of the store, whether they exist or not, and none of a store whose prefix begins with this one, as `eos-test` does
   * with `eos`.
   */
  get pattern(): string {
    const ranged = [...RANGED_KINDS, 'directory' as const].map((kind) => `${this.of(kind)}-*`);
    return [...ranged, ...SINGLE_KINDS.map((kind) => `${this.of(kind)}*`)].join(',');
  }

  of(kind: DocumentKind): string {
    return `${this.prefix}-${kind}`;
  }

  /** The index of a kind that holds a block number. */
  ranged(kind: RangedKind, blockNum: number, layout: RangeLayout): string {
    const first = rangeStart(blockNum, layout);
    return `${this.of(kind)}-${first.toString().padStart(BLOCK_NUM_DIGITS, '0')}`;
  }

  /** The index of the directory for the ranges from a block number on, of one build. */
  directory(firstBlock: number, rewrites: number): string {
    return `${this.of('directory')}-${firstBlock.toString().padStart(BLOCK_NUM_DIGITS, '0')}-${rewrites}`;
  }

  /** What the name of an index of the directory says; undefined for other names. */
  parseDirectory(index: string): { firstBlock: number; rewrites: number } | undefined {
    const name = `${this.of('directory')}-`;
    const found = index.startsWith(name) ? /^(\d{10})-(\d+)$/.exec(index.slice(name.length)) : null;
    return found ? { firstBlock: Number(found[1]), rewrites: Number(found[2]) } : undefined;
  }

  /** The alias by which writers of a write term reach an index. */
  writeAlias(index: string, blocks: FencedBlocks, term: number): string {
    return `${index}${TERM[blocks]}${term}`;
  }

  /** The alias of the progress index that exists while a write term is the current one. */
  currentTerm(blocks: FencedBlocks, term: number): string {
    return this.writeAlias(this.progress, blocks, term);
  }

  /** The write term of an alias that `writeAlias` made for the blocks; undefined for other aliases. */
  termOf(alias: string, blocks: FencedBlocks): number | undefined {
    const digits = TERM_PATTERN[blocks].exec(alias)?.[1];
    return digits === undefined ? undefined : Number(digits);
  }

  /** The first block number of a ranged index; undefined for other names. */
  firstBlockOf(index: string): number | undefined {
    const kind = RANGED_KINDS.find((each) => index.startsWith(`${this.of(each)}-`));
    const digits = kind && index.slice(this.of(kind).length + 1);
    return digits && /^\d{10}$/.test(digits) ? Number(digits) : undefined;
  }
}

/** The search term of a key, a hash: WebAuthn keys can be longer than a term may be. `key`: canonical key bytes. */
export function keyTerm(key: Buffer): string {
  return createHash('sha256').update(key).digest('hex');
}
