export { tableLines } from './figures';
export { type LoadFigures, type LoadOptions, runLoad } from './run-load';
