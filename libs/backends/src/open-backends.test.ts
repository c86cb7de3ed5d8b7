import { openBroker } from './open-backends';

describe('openBroker', () => {
  it('gives the stages of one process a broker', async () => {
    const broker = openBroker({ kind: 'memory' }, 'one process');
    await broker.close();
  });

  it('refuses to join processes over memory, and says what to do', () => {
    expect(() => openBroker({ kind: 'memory' }, 'many processes')).toThrow(
      /broker\.kind: memory .* run the app standalone/,
    );
  });
});
