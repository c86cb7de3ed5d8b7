import { AbiVersionCache } from './abi-version-cache';
import { DirectoryCache } from './directory-cache';
import { ScopeCache } from './scope-cache';

/** What queries have found in one store. The next store has caches of its own, because a query that still runs may add to these. */
export class QueryCaches {
  readonly abiVersions = new AbiVersionCache();
  readonly scopes = new ScopeCache();
  readonly directory = new DirectoryCache();
}
