export * from './asc-window-guard';
