import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { renderTemplates } from './index-templates';

/** Part of the program behind `npm run docs`. */
for (const [name, json] of Object.entries(renderTemplates())) {
  writeFileSync(path.join(__dirname, '../../../../deploy/elasticsearch', `${name}-template.json`), json);
}
