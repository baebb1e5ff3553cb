import { statSync } from 'node:fs';
import { closestMatch } from 'leven';
import type { Logger } from 'pino';
import { schemaMessage } from './setting-types.js';
import type { Environment } from './environment.js';
import { ConfigurationError } from './startup-errors.js';
import { environmentSchema, variableNames } from './environment-variables.js';
import { fileVariableOf, readSecretFiles } from './secret-files.js';

const envFile = '.env';

/** @throws ConfigurationError for invalid variables, including those of `.env` */
export function loadEnvironment(): Environment {
  try {
    process.loadEnvFile(envFile);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT') {
      // A container engine creates a folder when a mounted file is missing.
      const problem = statSync(envFile).isDirectory() ? 'is a folder, not a file' : message;
      throw new ConfigurationError([`${envFile}: ${problem}`]);
    }
  }
  return readEnvironment(process.env);
}

/**
 * @param source an empty variable counts as not set; unknown ones are ignored
 * @throws ConfigurationError with all problems
 */
export function readEnvironment(source: Record<string, string | undefined>): Environment {
  const given = Object.entries(source).filter(([, value]) => value !== '');
  const { values, fromFiles, problems } = readSecretFiles(Object.fromEntries(given));
  const result = environmentSchema.safeParse(values, { error: schemaMessage });
  if (result.success && problems.length === 0) return result.data;
  const found = (result.error?.issues ?? []).flatMap(({ path, message }) => {
    const name = path.join('.');
    if (!fromFiles.has(name)) return [`${name}: ${message}`];
    const variable = fileVariableOf(name) ?? name;
    // A file that cannot be read is the cause of a missing value, and reported already.
    return problems.some((line) => line.startsWith(variable))
      ? []
      : [`${variable}: the content of the file ${message}`];
  });
  throw new ConfigurationError([...found, ...problems]);
}

export function warnAboutMisspellings(logger: Logger): void {
  for (const line of misspelledVariables(Object.keys(process.env))) logger.warn(line);
}

/** Finds one or two wrong letters, a missing end, or the same first two words (rule CONF-5). */
export function misspelledVariables(names: readonly string[]): string[] {
  return names.flatMap((name) => {
    const meant = variableNames.includes(name) ? undefined : closestVariable(name.toUpperCase());
    if (meant === undefined) return [];
    return [`Ignored the unknown variable ${name}. Did you mean ${meant}?`];
  });
}

function closestVariable(name: string): string | undefined {
  // In a short name, two wrong letters could match another variable.
  const maxDistance = name.length > 5 ? 2 : 1;
  return (
    closestMatch(name, variableNames, { maxDistance }) ??
    variableNames.find((known) => beginsWith(known, name) || beginsWith(name, firstWords(known)))
  );
}

function beginsWith(name: string, words: string): boolean {
  return words.includes('_') && name.startsWith(`${words}_`);
}

function firstWords(name: string): string {
  return name.split('_').slice(0, 2).join('_');
}
