import type { AbiDefinition, AbiStruct } from './abi-definition';
import type { AbiFootprint } from './abi-footprint';
import { invalidAbi } from './invalid-abi';
import type { AbiTypes } from './type-resolver';
import { MAX_TYPE_DEPTH, quote, splitSuffix, unknownType } from './type-resolver';

/**
 * Validates an ABI as the node does before use (abi_serializer.cpp set_abi and validate). The node treats a contract
 * with an invalid ABI as a contract without an ABI and shows all its data as hex.
 *
 * Throws `ABI_INVALID` for an unsupported version, duplicate definitions, unknown types, circular typedefs or bases, and
 * types that could need more than `MAX_ABI_MEMORY` when compiled.
 */
export function validateAbi(definition: AbiDefinition, types: AbiTypes, footprint: AbiFootprint): void {
  if (!definition.version.startsWith('eosio::abi/1.')) {
    throw invalidAbi(`version ${quote(definition.version)} is not supported`);
  }
  rejectDuplicates(definition);
  rejectRedefinitions(types);
  new UseChecker(types, footprint).check(definition);
}

function rejectDuplicates(definition: AbiDefinition): void {
  const lists: [string, string[]][] = [
    ['type', definition.types.map((entry) => entry.new_type_name)],
    ['struct', definition.structs.map((entry) => entry.name)],
    ['action', definition.actions.map((entry) => entry.name)],
    ['table', definition.tables.map((entry) => entry.name)],
    ['variant', definition.variants.map((entry) => entry.name)],
    ['action result', definition.action_results.map((entry) => entry.name)],
  ];
  for (const [kind, names] of lists) {
    if (new Set(names).size < names.length) throw invalidAbi(`it defines ${kind} names twice`);
  }
}

/**
 * A typedef may share its name with a variant, because the node adds variants later, but not with a builtin, a struct or what
 * the typedefs before it define. A name with a suffix is compared without it: after `name`, `name[]` is defined already.
 */
function rejectRedefinitions(types: AbiTypes): void {
  const earlier = new Map<string, string>();
  for (const [name, target] of types.typedefs) {
    if (isDefinedBefore(name, earlier, types)) throw invalidAbi(`type ${quote(name)} is defined twice`);
    earlier.set(name, target);
  }
}

/** Whether the node finds a type when it has only the structs and the earlier typedefs (abi_serializer.cpp _is_type). */
function isDefinedBefore(typeName: string, earlier: ReadonlyMap<string, string>, types: AbiTypes): boolean {
  let name: string | undefined = typeName;
  // A longer chain of typedefs is refused where it is used.
  for (let hops = 0; name !== undefined && hops < MAX_TYPE_DEPTH; hops++) {
    const element: string = splitSuffix(name)?.element ?? name;
    if (types.structs.has(element) || (types.isBuiltin(element) && element !== 'bitset')) return true;
    name = earlier.get(element);
  }
  return false;
}

/** Checks every use of a type. It remembers checked types, so that the time is linear in the size of the ABI. */
class UseChecker {
  /** How many names the node looks up to find a type that was checked. */
  private readonly lookups = new Map<string, number>();
  private readonly soundStructs = new Set<AbiStruct>();

  constructor(
    private readonly types: AbiTypes,
    private readonly footprint: AbiFootprint,
  ) {}

  check(definition: AbiDefinition): void {
    for (const typedef of definition.types) this.checkType(typedef.type);
    for (const struct of definition.structs) this.checkStruct(struct);
    for (const variant of definition.variants) variant.types.forEach((type) => this.checkType(type));
    for (const action of definition.actions) this.checkType(action.type);
    for (const table of definition.tables) this.checkType(table.type);
    for (const result of definition.action_results) this.checkType(result.result_type);
  }

  private checkStruct(struct: AbiStruct): void {
    for (const field of struct.fields) this.checkType(field.type.endsWith('$') ? field.type.slice(0, -1) : field.type);
    const lineage = new Set<AbiStruct>();
    for (let current: AbiStruct | undefined = struct; current !== undefined; current = this.types.baseOf(current)) {
      if (lineage.has(current)) throw invalidAbi(`struct ${quote(struct.name)} is its own base`);
      if (this.soundStructs.has(current)) break;
      lineage.add(current);
    }
    lineage.forEach((sound) => this.soundStructs.add(sound));
  }

  /** The node takes one suffix of a name, then one of the typedef behind it, and so on (abi_serializer.cpp _is_type). */
  private checkType(typeName: string): void {
    const names: string[] = [];
    let name: string | undefined = typeName;
    let rest: number | undefined;
    for (; name !== undefined && names.length < MAX_TYPE_DEPTH; name = this.targetOf(name, typeName)) {
      rest = this.lookups.get(name);
      if (rest !== undefined) break;
      names.push(name);
    }
    const known = rest ?? 0;
    if (known + names.length >= MAX_TYPE_DEPTH) {
      throw invalidAbi(`type ${quote(typeName)} is nested too deep or circular`);
    }
    names.reverse().forEach((passed, index) => this.lookups.set(passed, known + index + 1));
  }

  /** The type behind a typedef; undefined for any other type. */
  private targetOf(name: string, typeName: string): string | undefined {
    const element = splitSuffix(name)?.element;
    this.footprint.addTypes(element === undefined ? 1 : 2);
    const target = this.types.typedefs.get(element ?? name);
    if (target === undefined && !this.isDefined(element ?? name)) throw unknownType(typeName);
    return target;
  }

  private isDefined(name: string): boolean {
    return this.types.isBuiltin(name) || this.types.structs.has(name) || this.types.variants.has(name);
  }
}
