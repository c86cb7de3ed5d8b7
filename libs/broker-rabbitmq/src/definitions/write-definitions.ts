import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { TOPOLOGY } from '@antelope-history/broker';
import { renderDefinitions } from './render-definitions';

/** Run by `npm run docs`. */
writeFileSync(path.join(__dirname, '../../../../deploy/rabbitmq/definitions.json'), renderDefinitions(TOPOLOGY));
