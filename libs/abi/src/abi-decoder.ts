import { HistoryError } from '@antelope-history/schemas';
import { parseAbi, type AbiDefinition } from './abi-definition';
import { validateAbi } from './abi-validation';
import type { ValueType } from './builtin-types';
import { ByteReader } from './byte-reader';
import { DecodeBudget, DEFAULT_DECODE_LIMITS, type DecodeLimits } from './decode-budget';
import type { JsonValue } from './json-value';
import { AbiTypes } from './type-resolver';
import { TypeCompiler } from './type-compiler';

/** Decodes the data of one contract by one version of its ABI, into the node's JSON forms. */
export interface AbiDecoder {
  /** The data of an action; undefined where the node shows hex: no such action, or data that doesn't decode. */
  decodeAction(name: string, data: Buffer): JsonValue | undefined;
  /** What an action returned; undefined where the ABI doesn't type it or it doesn't decode. */
  decodeActionResult(name: string, data: Buffer): JsonValue | undefined;
  /** Data of any type; throws DECODE_FAILED with the path of the field that failed. Bytes after it are ignored. */
  decode(type: string, data: Buffer): JsonValue;
}

/** The node's empty ABI packs to four bytes; anything as short means that the contract has none. */
const EMPTY_ABI_BYTES = 4;
/** The scope of a value that stands alone: two around it (abi_serializer.cpp binary_to_variant). */
const OUTERMOST_SCOPE = 3;

/** The decoder of a binary ABI; undefined when it is empty or invalid, so that the contract's data is shown as hex. */
export function createAbiDecoder(bytes: Buffer): AbiDecoder | undefined {
  if (bytes.length <= EMPTY_ABI_BYTES) return undefined;
  try {
    return compileAbi(parseAbi(bytes));
  } catch (error) {
    if (error instanceof HistoryError) return undefined;
    throw error;
  }
}

/**
 * Compiles an ABI into its decoder. Types are compiled when data first needs them, each once: an ABI of thousands of
 * structs with one action in use costs little more than its validation. Throws ABI_INVALID (see `validateAbi`).
 */
export function compileAbi(definition: AbiDefinition, limits?: Partial<DecodeLimits>): AbiDecoder {
  const types = new AbiTypes(definition);
  validateAbi(definition, types);
  return new CompiledAbi(definition, types, { ...DEFAULT_DECODE_LIMITS, ...limits });
}

class CompiledAbi implements AbiDecoder {
  private readonly compiler: TypeCompiler;
  private readonly actionTypes: Map<string, string>;
  private readonly resultTypes: Map<string, string>;

  constructor(
    definition: AbiDefinition,
    types: AbiTypes,
    private readonly limits: DecodeLimits,
  ) {
    this.compiler = new TypeCompiler(types);
    this.actionTypes = new Map(definition.actions.map(({ name, type }) => [name, type]));
    this.resultTypes = new Map(definition.action_results.map(({ name, result_type }) => [name, result_type]));
  }

  decodeAction(name: string, data: Buffer): JsonValue | undefined {
    return this.tryDecode(this.actionTypes.get(name), data);
  }

  decodeActionResult(name: string, data: Buffer): JsonValue | undefined {
    return this.tryDecode(this.resultTypes.get(name), data);
  }

  decode(type: string, data: Buffer): JsonValue {
    const budget = new DecodeBudget(this.limits);
    try {
      return this.run(this.compiler.compile(type), data, budget);
    } catch (error) {
      if (!(error instanceof HistoryError)) throw error;
      throw new HistoryError('DECODE_FAILED', `${pathText(type, budget.path)}: ${error.message}`, { cause: error });
    }
  }

  /** To the node an action whose type is the empty name has none, even if a struct has that name. */
  private tryDecode(type: string | undefined, data: Buffer): JsonValue | undefined {
    if (type === undefined || type === '') return undefined;
    try {
      return this.run(this.compiler.compile(type), data, new DecodeBudget(this.limits));
    } catch (error) {
      if (error instanceof HistoryError) return undefined;
      throw error;
    }
  }

  private run(type: ValueType, data: Buffer, budget: DecodeBudget): JsonValue {
    budget.descend(OUTERMOST_SCOPE);
    budget.spend(type.cost);
    return type.decode(new ByteReader(data), budget);
  }
}

/** "transfer.quantity", "batch.items[3].<pair_t>.first": where in the type a decoding failed. */
function pathText(type: string, path: (string | number)[]): string {
  const steps = path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`));
  return [type, ...steps.reverse()].join('').slice(0, 256);
}
