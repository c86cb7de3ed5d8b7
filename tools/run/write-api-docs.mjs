import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { ROUTES } from '@antelope-history/routes';
import { renderApiDocs } from '@antelope-history/openapi/api-docs';

/** Writes docs/api.md from the route definitions; `npm run docs` builds the workspace first. */
writeFileSync(path.join(import.meta.dirname, '../../docs/api.md'), renderApiDocs(ROUTES));
