import { readFileSync } from 'node:fs';
import path from 'node:path';
import { TOPOLOGY } from '@antelope-history/broker';
import { renderDefinitions } from '../src/definitions';

describe('deploy/rabbitmq/definitions.json', () => {
  it('is what npm run docs makes of the topology', () => {
    const written = readFileSync(path.join(__dirname, '../../../deploy/rabbitmq/definitions.json'), 'utf8');
    expect(written).toBe(renderDefinitions(TOPOLOGY));
  });
});
