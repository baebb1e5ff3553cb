import { readFileSync } from 'node:fs';

/** Container engines pass secrets as files. For each of these settings, `<name>_FILE` may name such a file. */
const secrets = ['OPS_PASSWORD', 'MONGODB_URI', 'ENCRYPTION_KEYS'] as const;

const variableOfFile = (name: string) => `${name}_FILE`;

export const fileVariableNames: readonly string[] = secrets.map(variableOfFile);

/** @returns null for a setting that is not a secret */
export function fileVariableOf(name: string): string | null {
  const isSecret = secrets.some((secret) => secret === name);
  return isSecret ? variableOfFile(name) : null;
}

export interface GivenSettings {
  /** Includes the contents of the files, without their final line break. */
  readonly values: Readonly<Record<string, string | undefined>>;
  /** Names of the settings that files contain, or should contain. */
  readonly fromFiles: ReadonlySet<string>;
  readonly problems: readonly string[];
}

/** @param given without empty variables */
export function readSecretFiles(
  given: Readonly<Record<string, string | undefined>>,
): GivenSettings {
  const values = { ...given };
  const problems: string[] = [];
  const named = secrets.filter((name) => given[variableOfFile(name)] !== undefined);
  for (const name of named) {
    const variable = variableOfFile(name);
    try {
      if (given[name] !== undefined) throw new Error(`${name} is set too: set only one of them`);
      values[name] = contentOf(given[variable] ?? '');
    } catch (error) {
      problems.push(`${variable}: ${(error as Error).message}`);
    }
  }
  return { values, fromFiles: new Set(named), problems };
}

/** @throws Error that says what to correct */
function contentOf(file: string): string {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new Error(`${file} cannot be read: ${reasonOf(error as NodeJS.ErrnoException)}`, {
      cause: error,
    });
  }
  const content = text.replace(/\r?\n$/, '');
  if (content === '') throw new Error(`${file} is empty`);
  return content;
}

function reasonOf({ code, message }: NodeJS.ErrnoException): string {
  if (code === 'ENOENT') return 'it does not exist';
  if (code === 'EACCES') return 'the user of this process may not read it';
  // A container engine creates a folder when a mounted file is missing.
  return code === 'EISDIR' ? 'it is a folder, not a file' : message;
}
