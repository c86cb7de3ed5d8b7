/**
 * This file exists so that only `completion` loads the quick start: Nx forbids to import a project both statically and when it is
 * needed.
 */
export { START_USAGE, SUITE_USAGE } from '@antelope-history/quick-start/usage';
