import { RABBITMQCTL_VARIABLE } from './servers/rabbitmqctl';
import { URL_VARIABLES } from './service-name';
import type { Services } from './services';

/** The environment variables that give test processes the URLs of the servers. */
export function serviceEnvironment({ available }: Services): Record<string, string> {
  const environment: Record<string, string> = {};
  for (const [name, { url, rabbitmqctl }] of available) {
    environment[URL_VARIABLES[name]] = url;
    if (rabbitmqctl) environment[RABBITMQCTL_VARIABLE] = JSON.stringify(rabbitmqctl);
  }
  return environment;
}
