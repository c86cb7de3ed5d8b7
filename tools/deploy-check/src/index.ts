export * from './compose-schema';
export * from './config-keys';
export * from './deploy-files';
export * from './deployed-apps';
export * from './dockerfile-stages';
export * from './kubernetes-schema';
export * from './unit-file';
export * from './workflow-lint';
