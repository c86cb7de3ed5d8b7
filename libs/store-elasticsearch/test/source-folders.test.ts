import path from 'node:path';
import { describeSourceFolders } from '@antelope-history/store/contract';

describeSourceFolders({
  sources: path.join(__dirname, '../src'),
  folders: {
    client: [],
    indices: ['client'],
    read: ['client', 'indices'],
    write: ['client', 'indices'],
    commit: ['client', 'indices', 'write'],
    check: ['client', 'indices'],
    snapshot: ['client', 'indices'],
    migrate: ['client', 'indices', 'read', 'write', 'commit'],
  },
  entries: {
    'reader.ts': ['client', 'indices', 'read'],
    'writer.ts': ['client', 'indices', 'write', 'commit'],
    'documents.ts': ['client', 'indices', 'write'],
    'check.ts': ['client', 'indices', 'check'],
    'migrate.ts': ['client', 'indices', 'read', 'write', 'commit', 'migrate'],
    'snapshot.ts': ['client', 'indices', 'snapshot'],
  },
});
