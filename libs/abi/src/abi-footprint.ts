import { invalidAbi } from './invalid-abi';

/**
 * The most that one ABI may take when every type of it is compiled. The largest ABIs in use take a tenth; one beyond it
 * is treated as invalid.
 */
export const MAX_ABI_MEMORY = 16 * 1024 * 1024;

/** A text's header, and its place in the object and the map that hold it. */
const TEXT_BYTES = 48;
/** One character above Latin-1 makes V8 keep two bytes for each. */
const BYTES_PER_CHARACTER = 2;
/** A struct, field, typedef, variant, action or table: as parsed, and as compiled. */
const ENTRY_BYTES = 256;
/** A type name's decoder: a closure, its context and its place in the compiler's map. */
const TYPE_BYTES = 224;

const WORK_PER_BYTE = 1;
const WORK_PER_ENTRY = 64;

/**
 * Counts what an ABI takes while it is read, before it is allocated: the memory of all its types compiled, by sizes that
 * a test holds against the heap's growth, and the time of parsing and checking it.
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

  /** Type names that are compiled one by one: `a[]?` takes three. */
  addTypes(count: number): void {
    this.entries += count;
    this.add(count * TYPE_BYTES);
  }

  /** `abiBytes`: the length of the packed ABI. */
  total(abiBytes: number): { memoryBytes: number; work: number } {
    return { memoryBytes: this.memoryBytes, work: abiBytes * WORK_PER_BYTE + this.entries * WORK_PER_ENTRY };
  }

  private add(bytes: number): void {
    this.memoryBytes += bytes;
    if (this.memoryBytes > MAX_ABI_MEMORY) throw invalidAbi(`it takes more than ${MAX_ABI_MEMORY} bytes of memory`);
  }
}
