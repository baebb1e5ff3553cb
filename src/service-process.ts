import { inspect } from 'node:util';
import type { Environment } from './core/configuration/environment.js';
import { loadEnvironment } from './core/configuration/load-environment.js';
import { ConfigurationError, StartupError } from './core/configuration/startup-errors.js';
import { type RunningService, runService } from './start.js';

/** Runs the service until a signal ends it; a start that fails ends the process with the reason. */
export async function startService(): Promise<void> {
  let environment: Environment | undefined;
  try {
    environment = loadEnvironment();
    const service = await runService(environment);
    shutDownOnSignals(service);
    service.announce();
  } catch (error) {
    failStart(error, environment?.NODE_ENV);
  }
}

/**
 * Ends the process with the reason: 2 where the configuration is wrong, else 1.
 *
 * @public `npm run start:dev` calls it.
 */
export function failStart(error: unknown, nodeEnv?: Environment['NODE_ENV']): never {
  process.stderr.write(`${reasonOf(error, nodeEnv)}\n`);
  process.exit(error instanceof ConfigurationError ? 2 : 1);
}

/** One line in production, where logs are read by programs; elsewhere an unknown error has its stack. */
function reasonOf(error: unknown, nodeEnv?: Environment['NODE_ENV']): string {
  if (!(error instanceof StartupError) && nodeEnv !== 'production') return inspect(error);
  return error instanceof Error ? error.message : String(error);
}

function shutDownOnSignals(service: RunningService): void {
  const shutDown = () => {
    void service.shutDown().then((isFinished) => process.exit(isFinished ? 0 : 1));
  };
  // npm forwards signals that the process group has had already, so each may come twice.
  process.on('SIGTERM', shutDown);
  process.on('SIGINT', shutDown);
}
