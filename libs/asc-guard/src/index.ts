export * from './asc-window';
