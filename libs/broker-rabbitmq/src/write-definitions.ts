import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { TOPOLOGY } from '@antelope-history/broker';
import { renderDefinitions } from './definitions';

/** Part of the program behind `npm run docs`. */
writeFileSync(path.join(__dirname, '../../../deploy/rabbitmq/definitions.json'), renderDefinitions(TOPOLOGY));
