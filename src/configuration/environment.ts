import { isIP } from 'node:net';
import { z } from 'zod';

const flag = z.enum(['true', 'false']).transform((value) => value === 'true');

function integer(minimum: number, maximum: number) {
  return z
    .string()
    .regex(/^\d+$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.number().min(minimum).max(maximum));
}

/** What is known of one environment variable; `.env.example` and the check at start-up come from it. */
interface Variable {
  readonly schema: z.ZodType;
  readonly fallback?: string;
  readonly example?: string;
  readonly description: string;
}

const variables = {
  PORT: {
    schema: integer(0, 65_535),
    fallback: '3000',
    description: 'Port of the HTTP listener; 0 takes any free one.',
  },
  HOST: {
    schema: z.string().min(1),
    fallback: '0.0.0.0',
    description: 'Address to listen on.',
  },
  MONGODB_URI: {
    schema: z
      .string()
      .regex(/^mongodb(\+srv)?:\/\/./, 'must start with mongodb:// or mongodb+srv://'),
    example: 'mongodb://127.0.0.1:27017/integration?replicaSet=rs0',
    description:
      'A replica set or sharded cluster. Without it an embedded one is started under DATA_FOLDER ' +
      '(not in production).',
  },
  NODE_ENV: {
    schema: z.enum(['development', 'test', 'production']),
    fallback: 'development',
    description: 'development, test or production.',
  },
  LOG_LEVEL: {
    schema: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']),
    fallback: 'info',
    description: 'fatal, error, warn, info, debug, trace or silent.',
  },
  DATA_FOLDER: {
    schema: z.string().min(1),
    fallback: '.data',
    description: 'Folder of the embedded database.',
  },
  BODY_LIMIT_BYTES: {
    schema: integer(1_024, 4_194_304),
    fallback: '1048576',
    description: 'Largest accepted request body; a larger one gets 413.',
  },
  JSON_DEPTH_LIMIT: {
    schema: integer(2, 90),
    fallback: '32',
    description: 'Deepest accepted nesting of a JSON body; a deeper one gets 400.',
  },
  ROLE: {
    schema: z.enum(['all', 'api', 'worker']),
    fallback: 'all',
    description: 'What this process does: serve the API, deliver webhooks (worker), or all of it.',
  },
  REQUEST_TIMEOUT_MS: {
    schema: integer(100, 600_000),
    fallback: '30000',
    description: 'Longest time a request may take to arrive before it gets 408.',
  },
  DATABASE_DEADLINE_MS: {
    schema: integer(100, 30_000),
    fallback: '8000',
    description: 'Longest time a request waits for the database before it gets 503.',
  },
  ENFORCE_API_DOMAIN: {
    schema: flag,
    fallback: 'false',
    description: "true: a key is valid only on its organization's own API domain.",
  },
  TRUST_PROXY: {
    schema: z.string().transform(parseTrustProxy),
    fallback: 'false',
    description:
      'Whose X-Forwarded-* headers count: false, true, a number of hops, or addresses and CIDR ' +
      'ranges separated by commas.',
  },
  ENCRYPTION_KEYS: {
    schema: z.string().transform(parseEncryptionKeys),
    example: '<openssl rand -base64 32>',
    description:
      'Keys that seal the secrets of webhook endpoints, each base64 of 32 bytes, separated by ' +
      'commas, newest first: the first seals, all open. Required in production; elsewhere a key ' +
      'is made and kept in the database.',
  },
  WEBHOOKS_ALLOW_HTTP: {
    schema: flag,
    fallback: 'false',
    description: 'true: webhook endpoints may have http:// URLs. For development.',
  },
  WEBHOOKS_ALLOW_PRIVATE_NETWORKS: {
    schema: flag,
    fallback: 'false',
    description:
      'true: webhooks are also sent to loopback and private addresses. For development. ' +
      'Link-local and metadata addresses stay refused.',
  },
  WEBHOOKS_TIMEOUT_MS: {
    schema: integer(100, 30_000),
    fallback: '15000',
    description: 'Longest time for one try to deliver a webhook, from the look-up of the name on.',
  },
  WEBHOOKS_CONCURRENCY: {
    schema: integer(1, 1_000),
    fallback: '64',
    description:
      'How many webhooks this process sends at the same time; one endpoint gets at most a quarter.',
  },
} as const satisfies Record<string, Variable>;

const requiredInProduction = [
  'MONGODB_URI',
  'ENCRYPTION_KEYS',
] as const satisfies (keyof Variables)[];

type Variables = typeof variables;
type Parsed<V> = V extends { schema: infer S extends z.ZodType } ? z.output<S> : never;

/** The validated configuration, one property per environment variable. */
export type Environment = {
  readonly [Name in keyof Variables]: Variables[Name] extends { fallback: string }
    ? Parsed<Variables[Name]>
    : Parsed<Variables[Name]> | undefined;
};

/** Injection token of the {@link Environment}. */
export const ENVIRONMENT = Symbol('Environment');

/** Every fault of the configuration at once, one line each. */
export class ConfigurationError extends Error {
  constructor(readonly faults: readonly string[]) {
    super(['The configuration is not valid:', ...faults.map((fault) => `  ${fault}`)].join('\n'));
  }
}

/**
 * Reads and checks the configuration.
 *
 * @param source environment variables; an empty one counts as not set, unknown ones are ignored
 * @throws ConfigurationError that lists all faults
 */
export function readEnvironment(source: Record<string, string | undefined>): Environment {
  const faults: string[] = [];
  const values: Record<string, unknown> = {};
  for (const [name, variable] of Object.entries<Variable>(variables)) {
    const raw = source[name];
    const value = isMissing(raw) ? variable.fallback : raw;
    if (value === undefined) continue;
    const result = variable.schema.safeParse(value);
    if (result.success) values[name] = result.data;
    else faults.push(`${name}: ${result.error.issues.map((issue) => issue.message).join('; ')}`);
  }
  if (values['NODE_ENV'] === 'production') {
    const missing = requiredInProduction.filter((name) => isMissing(source[name]));
    faults.push(...missing.map((name) => `${name}: is required in production`));
  }
  if (faults.length > 0) throw new ConfigurationError(faults);
  return values as unknown as Environment;
}

/** The text of `.env.example`: every variable with its description and default. */
export function environmentExample(): string {
  const entries = Object.entries<Variable>(variables).map(([name, variable]) =>
    [
      ...wrap(variable.description, 96).map((line) => `# ${line}`),
      variable.fallback === undefined
        ? `# ${name}=${variable.example ?? ''}`
        : `${name}=${variable.fallback}`,
    ].join('\n'),
  );
  return `${entries.join('\n\n')}\n`;
}

function isMissing(value: string | undefined): value is undefined {
  return value === undefined || value === '';
}

function parseEncryptionKeys(value: string, context: z.RefinementCtx): Buffer[] {
  const texts = value.split(',').map((part) => part.trim());
  const keys = texts.map((text) => Buffer.from(text, 'base64'));
  const isKey = (text: string, index: number) =>
    /^[\w+/-]{43}=?$/.test(text) && keys[index]?.length === 32;
  if (texts.every(isKey)) return keys;
  context.addIssue('must be keys in base64, 32 bytes each, separated by commas');
  return z.NEVER;
}

function parseTrustProxy(value: string, context: z.RefinementCtx): boolean | number | string[] {
  if (value === 'true' || value === 'false') return value === 'true';
  if (/^\d{1,2}$/.test(value)) return Number(value);
  const addresses = value.split(',').map((part) => part.trim());
  if (addresses.every(isAddressOrRange)) return addresses;
  context.addIssue('must be true, false, a number of hops, or addresses separated by commas');
  return z.NEVER;
}

function isAddressOrRange(text: string): boolean {
  const [address = '', prefix, ...rest] = text.split('/');
  const version = isIP(address);
  if (version === 0 || rest.length > 0) return false;
  if (prefix === undefined) return true;
  const longest = version === 4 ? 32 : 128;
  return /^\d{1,3}$/.test(prefix) && Number(prefix) >= 1 && Number(prefix) <= longest;
}

function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    const fits = last !== undefined && last.length + word.length < width;
    if (fits) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}
