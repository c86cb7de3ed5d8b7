/** A file of its own because loading it takes half a second, and Nx allows no project to be imported both statically and when needed. */
export { START_USAGE, SUITE_USAGE } from '@antelope-history/quick-start/usage';
