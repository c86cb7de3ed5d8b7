/** A field of the data of one contract's action, by which actions can be selected. */
export interface DataField {
  /** `contract:action.field`, e.g. `eosio.token:transfer.to`. */
  key: string;
  contract: string;
  action: string;
  /** Its name in the ABI; a field of the action itself, not one within another field. */
  field: string;
}

/** Names of contracts and actions may have dots; the last dot separates the field. */
const KEY = /^([a-z1-5.]{1,13}):([a-z1-5.]{1,13})\.([A-Za-z_][A-Za-z0-9_]{0,63})$/;

/** Parses the key of a data field; undefined for a text that is not `contract:action.field`. */
export function parseDataField(key: string): DataField | undefined {
  const [, contract, action, field] = KEY.exec(key) ?? [];
  if (contract === undefined || action === undefined || field === undefined) return undefined;
  return { key, contract, action, field };
}

const NONE: readonly DataField[] = [];

/** The fields that a store indexes. */
export class DataFields {
  readonly keys: readonly string[];
  readonly contracts: ReadonlySet<string>;
  private readonly byAction = new Map<string, Map<string, DataField[]>>();

  /** Ignores texts among `keys` that are no data fields, which the configuration refuses. */
  constructor(keys: readonly string[]) {
    const fields = [...new Set(keys)].flatMap((key) => parseDataField(key) ?? []);
    this.keys = fields.map(({ key }) => key);
    this.contracts = new Set(fields.map(({ contract }) => contract));
    for (const field of fields) {
      const actions = this.byAction.get(field.contract) ?? new Map<string, DataField[]>();
      this.byAction.set(field.contract, actions);
      actions.set(field.action, [...(actions.get(field.action) ?? []), field]);
    }
  }

  /** The fields of an action's data; empty for most actions. */
  of(contract: string, action: string): readonly DataField[] {
    return this.byAction.get(contract)?.get(action) ?? NONE;
  }
}
