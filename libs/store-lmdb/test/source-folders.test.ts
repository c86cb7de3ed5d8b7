import path from 'node:path';
import { describeSourceFolders } from '@antelope-history/store/contract';

describeSourceFolders({
  sources: path.join(__dirname, '../src'),
  folders: {
    format: [],
    lock: [],
    read: ['format', 'lock'],
    write: ['format', 'lock'],
    check: ['format', 'lock', 'read', 'write'],
    backup: ['format', 'lock', 'read', 'write'],
    migrate: ['format', 'write'],
  },
  entries: {
    'reader.ts': ['format', 'lock', 'read'],
    'writer.ts': ['format', 'lock', 'write'],
    'check.ts': ['format', 'lock', 'read', 'write', 'check'],
    'backup.ts': ['format', 'lock', 'read', 'write', 'backup'],
    'migrate.ts': ['format', 'lock', 'write', 'migrate'],
  },
});
