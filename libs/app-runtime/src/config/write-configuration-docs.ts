import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { renderConfigurationDocs } from './configuration-docs';

/** The program behind `npm run docs`. */
writeFileSync(path.join(__dirname, '../../../../docs/configuration.md'), renderConfigurationDocs());
