import { invalidAbi } from './invalid-abi';

/**
 * Limit on the memory of one ABI with all its types compiled, in bytes. The largest ABIs in use need a tenth of it. An
 * ABI that exceeds it is treated as invalid.
 */
export const MAX_ABI_MEMORY = 16 * 1024 * 1024;

/** Memory of a string's header and of its entries in the object and the map that contain it. */
const TEXT_BYTES = 48;
/** V8 stores two bytes for each character of a string that has a character outside Latin-1. */
const BYTES_PER_CHARACTER = 2;
/** Memory of a struct, field, typedef, variant, action or table, in parsed and compiled form. */
const ENTRY_BYTES = 256;
/** Memory of a type name's decoder: one or two closures, their context and the entry in the compiler's map. */
const TYPE_BYTES = 272;

const WORK_PER_BYTE = 1;
const WORK_PER_ENTRY = 64;

/**
 * Counts the memory of an ABI with all its types compiled, before that memory is allocated, and the work of parsing and
 * validating the ABI. `test/footprint.test.ts` compares the sizes above with the growth of the heap.
 */
export class AbiFootprint {
  private memoryBytes = 0;
  private entries = 0;

  addText(bytes: number): void {
    this.add(TEXT_BYTES + BYTES_PER_CHARACTER * bytes);
  }

  addEntries(count: number): void {
    this.entries += count;
    this.add(count * ENTRY_BYTES);
  }

  /** Counts type names that are compiled separately: `a[]?` takes three. */
  addTypes(count: number): void {
    this.entries += count;
    this.add(count * TYPE_BYTES);
  }

  /** `abiBytes` is the length of the packed ABI. */
  total(abiBytes: number): { memoryBytes: number; work: number } {
    return { memoryBytes: this.memoryBytes, work: abiBytes * WORK_PER_BYTE + this.entries * WORK_PER_ENTRY };
  }

  private add(bytes: number): void {
    this.memoryBytes += bytes;
    if (this.memoryBytes > MAX_ABI_MEMORY) throw invalidAbi(`it needs more than ${MAX_ABI_MEMORY} bytes of memory`);
  }
}
