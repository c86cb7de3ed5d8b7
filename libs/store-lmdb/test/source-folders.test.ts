import path from 'node:path';
import { describeSourceFolders } from '@antelope-history/store/contract';

describeSourceFolders({
  sources: path.join(__dirname, '../src'),
  folders: {
    format: [],
    read: ['format'],
    write: ['format'],
    check: ['format', 'read', 'write'],
    backup: ['format', 'read', 'write'],
    migrate: ['format', 'write'],
  },
  entries: {
    'reader.ts': ['format', 'read'],
    'writer.ts': ['format', 'write'],
    'check.ts': ['format', 'read', 'write', 'check'],
    'backup.ts': ['format', 'read', 'write', 'backup'],
    'migrate.ts': ['format', 'write', 'migrate'],
  },
});
