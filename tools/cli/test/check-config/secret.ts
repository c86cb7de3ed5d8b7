import fc from 'fast-check';
import { PASSWORD_CHARACTERS } from '@antelope-history/test-support/tls';

export const anyPassword = fc.string({ unit: fc.constantFrom(...PASSWORD_CHARACTERS), minLength: 12, maxLength: 40 });

export const USER = 'some-user';

export interface Passwords {
  ship: string;
  elasticsearch: string;
  rabbitmq: string;
  redis: string;
}

/** The environment variables for the four servers on this machine, with a password for each. */
export function environmentOf(ports: Record<keyof Passwords, number>, passwords: Passwords): Record<string, string> {
  const server = (section: string, password: string): Record<string, string> => ({
    [`HISTORY_${section}__USERNAME`]: USER,
    [`HISTORY_${section}__PASSWORD`]: password,
  });
  return {
    HISTORY_SHIP__URLS: `ws://${USER}:${encodeURIComponent(passwords.ship)}@127.0.0.1:${ports.ship}`,
    HISTORY_STORE__KIND: 'elasticsearch',
    HISTORY_STORE__ELASTICSEARCH__URLS: `http://127.0.0.1:${ports.elasticsearch}`,
    ...server('STORE__ELASTICSEARCH', passwords.elasticsearch),
    HISTORY_BROKER__KIND: 'rabbitmq',
    HISTORY_BROKER__RABBITMQ__URL: `amqp://127.0.0.1:${ports.rabbitmq}`,
    ...server('BROKER__RABBITMQ', passwords.rabbitmq),
    HISTORY_KEY_VALUE__KIND: 'redis',
    HISTORY_KEY_VALUE__REDIS__URL: `redis://127.0.0.1:${ports.redis}`,
    ...server('KEY_VALUE__REDIS', passwords.redis),
  };
}
