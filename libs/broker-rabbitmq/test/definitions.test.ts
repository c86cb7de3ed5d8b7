import { readFileSync } from 'node:fs';
import path from 'node:path';
import { TOPOLOGY } from '@antelope-history/broker';
import { renderDefinitions } from '../src/definitions/render-definitions';

describe('deploy/rabbitmq/definitions.json', () => {
  it('is the output of npm run docs for the topology', () => {
    const written = readFileSync(path.join(__dirname, '../../../deploy/rabbitmq/definitions.json'), 'utf8');
    expect(written).toBe(renderDefinitions(TOPOLOGY));
  });
});
