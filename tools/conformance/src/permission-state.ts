import type { ShipPermission } from './ship-types';

/** The permissions of a chain after some blocks, built from the permission deltas. */
export class PermissionState {
  private readonly rows = new Map<string, ShipPermission>();

  apply(changes: readonly { present: boolean; row: ShipPermission }[]): void {
    for (const { present, row } of changes) {
      if (present) this.rows.set(`${row.owner}@${row.name}`, row);
      else this.rows.delete(`${row.owner}@${row.name}`);
    }
  }

  /** The keys are in the node's text form: `EOS…` for K1. */
  ownersByKey(): Map<string, string[]> {
    return this.ownersBy(({ auth }) => auth.keys.map(({ key }) => key));
  }

  ownersByActor(): Map<string, string[]> {
    return this.ownersBy(({ auth }) => auth.accounts.map(({ permission }) => permission.actor));
  }

  owners(): string[] {
    return [...new Set([...this.rows.values()].map(({ owner }) => owner))].filter((owner) => owner !== '');
  }

  private ownersBy(authorizersOf: (row: ShipPermission) => string[]): Map<string, string[]> {
    const owners = new Map<string, Set<string>>();
    for (const row of this.rows.values()) {
      for (const authorizer of authorizersOf(row)) {
        owners.set(authorizer, (owners.get(authorizer) ?? new Set()).add(row.owner));
      }
    }
    return new Map([...owners].map(([authorizer, names]) => [authorizer, [...names].sort()]));
  }
}
