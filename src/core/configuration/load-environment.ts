import { statSync } from 'node:fs';
import { closestMatch } from 'leven';
import type { Logger } from 'pino';
import { type Environment, readEnvironment, variableNames } from './environment.js';
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

/**
 * A line for each name that looks like a variable of this service and is none: one or two letters
 * differ, its end is missing, or it begins with the same two words (rule CONF-5).
 */
export function misspeltVariables(names: readonly string[]): string[] {
  return names.flatMap((name) => {
    const meant = variableNames.includes(name) ? undefined : meantBy(name.toUpperCase());
    if (meant === undefined) return [];
    return [`${name} is no variable of this service and is ignored: is ${meant} meant?`];
  });
}

function meantBy(name: string): string | undefined {
  // One letter makes another word of a short name.
  const maxDistance = name.length > 5 ? 2 : 1;
  return (
    closestMatch(name, variableNames, { maxDistance }) ??
    variableNames.find((known) => beginsWith(known, name) || beginsWith(name, firstWords(known)))
  );
}

/** Whether a name begins with at least two whole words. */
function beginsWith(name: string, words: string): boolean {
  return words.includes('_') && name.startsWith(`${words}_`);
}

function firstWords(name: string): string {
  return name.split('_').slice(0, 2).join('_');
}
