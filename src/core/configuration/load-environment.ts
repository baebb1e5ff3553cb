import { statSync } from 'node:fs';
import type { Logger } from 'pino';
import { type Environment, readEnvironment } from './environment.js';
import { misspeltVariables } from './misspelt-variables.js';
import { ConfigurationError } from './startup-errors.js';

const envFile = '.env';

/**
 * Reads the environment, `.env` included.
 *
 * @throws ConfigurationError
 */
export function loadEnvironment(): Environment {
  try {
    process.loadEnvFile(envFile);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT') {
      // A container engine makes a folder of a file that is to be mounted and is not there.
      const problem = statSync(envFile).isDirectory() ? 'is a folder, not a file' : message;
      throw new ConfigurationError([`${envFile}: ${problem}`]);
    }
  }
  return readEnvironment(process.env);
}

/** Logs what looks like a setting and is none; to be called once the log is there. */
export function warnOfMisspeltVariables(logger: Logger): void {
  for (const line of misspeltVariables(Object.keys(process.env))) logger.warn(line);
}
