import { z } from 'zod';
import { fileVariableNames } from './secret-files.js';
import {
  mongodbUriSetting,
  encryptionKeysSetting,
  booleanSetting,
  hostNamesSetting,
  integerSetting,
  enumSetting,
  passwordHashSetting,
  trustProxySetting,
} from './setting-types.js';

export const environmentVariables = z.object({
  PORT: integerSetting(0, 65_535)
    .prefault('3000')
    .describe('Port of the HTTP listener; 0 picks a free port.'),
  HOST: z.string().optional().meta({
    description: 'Address to listen on: 0.0.0.0 in production, else 127.0.0.1, unless it is set.',
    example: '0.0.0.0',
  }),
  OPS_PORT: integerSetting(0, 65_535)
    .optional()
    .meta({
      description:
        'Port of a separate listener for metrics (/metrics), probes (/livez, /readyz) and the console ' +
        '(/console), in every ROLE; 0 picks a free port. If unset, there are none of them (rule ' +
        'OPS-10); in development it is 9464, or a free port if that is in use.',
      example: '9464',
    }),
  OPS_HOST: z
    .string()
    .prefault('127.0.0.1')
    .describe(
      'Address of the listener on OPS_PORT; by default only this machine reaches it. It needs ' +
        'no key, so open it only to your own network.',
    ),
  OPS_ALLOWED_HOSTS: hostNamesSetting.optional().meta({
    description:
      'Host names, separated by commas, under which browsers may open the console, in addition ' +
      'to localhost and addresses: ' +
      'requests for any other host name get 421 (protection against DNS rebinding).',
    example: 'ops.internal',
  }),
  OPS_PASSWORD: passwordHashSetting.optional().meta({
    description:
      "The operator's password for the console, which is at /console of that listener, as a " +
      'hash from `npm run cli -- console password`. Use the same for every instance, and keep ' +
      'it as secret as ENCRYPTION_KEYS. If unset, the console is off, but in development a link ' +
      'that the start prints logs in (rule OPS-30).',
    example: 'scrypt:32768:8:3:<salt>:<hash>',
  }),
  MONGODB_URI: mongodbUriSetting.optional().meta({
    description:
      'A replica set or sharded cluster, with the name of the database. If unset, an embedded ' +
      'database starts under DATA_FOLDER (not in production).',
    example: 'mongodb://127.0.0.1:27017/integration?replicaSet=rs0',
  }),
  NODE_ENV: enumSetting(['development', 'test', 'production'])
    .prefault('development')
    .describe(
      'production requires MONGODB_URI and a prepared database; development also creates demo data.',
    ),
  LOG_LEVEL: enumSetting(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
    .prefault('info')
    .describe('Least severe level that is logged; silent turns the log off.'),
  DATA_FOLDER: z.string().prefault('.data').describe('Folder of the embedded database.'),
  BODY_LIMIT_BYTES: integerSetting(1_024, 4_194_304)
    .prefault('1048576')
    .describe('Maximum size of a request body; larger bodies get 413.'),
  JSON_DEPTH_LIMIT: integerSetting(2, 90)
    .prefault('32')
    .describe('Maximum nesting of a JSON body; deeper bodies get 400.'),
  RATE_LIMIT_RPS: integerSetting(0, 1_000_000)
    .prefault('100')
    .describe(
      'Requests per second that an API key may make in this process, unless the key has its ' +
        'own limit; further ones get 429. 0 means no limit (rule HTTP-22).',
    ),
  RATE_LIMIT_BURST: integerSetting(1, 1_000_000)
    .prefault('200')
    .describe('Requests that an API key may make at once before RATE_LIMIT_RPS applies.'),
  AUTH_FAILURE_RPS: integerSetting(0, 1_000_000)
    .prefault('20')
    .describe(
      'Failed authentications per second that a client address (or IPv6 /64) may have; further ' +
        'ones get 429. 0 means no limit. Behind a proxy set TRUST_PROXY, otherwise all clients ' +
        'count as one (rule AUTH-6).',
    ),
  AUTH_FAILURE_BURST: integerSetting(1, 1_000_000)
    .prefault('200')
    .describe(
      'Failed authentications that an address may have at once before AUTH_FAILURE_RPS applies.',
    ),
  HEADER_LIMIT_BYTES: integerSetting(4_096, 65_536)
    .prefault('16384')
    .describe('Maximum size of the request headers; larger headers get 431.'),
  IDLE_TIMEOUT_MS: integerSetting(100, 600_000)
    .prefault('72000')
    .describe(
      'How long a connection stays open between two requests; set it longer than the idle ' +
        'timeout of the load balancer (rule HTTP-21).',
    ),
  MAX_CONNECTIONS: integerSetting(1, 1_000_000)
    .prefault('10000')
    .describe(
      'Maximum number of open connections; further ones are closed immediately, without a ' +
        'response (rule HTTP-21).',
    ),
  MAX_CONCURRENT_REQUESTS: integerSetting(1, 1_000_000)
    .prefault('200')
    .describe(
      'Requests of one key that may run at the same time, unread responses included and long ' +
        'polls excluded; further ones get 429 (rule HTTP-22).',
    ),
  RESPONSE_CACHE_BYTES: integerSetting(0, 4_294_967_296)
    .prefault('67108864')
    .describe(
      'Maximum memory of the one-second cache of responses of the catalogue; 0 disables ' +
        'the cache (rule DATA-6).',
    ),
  EVENTS_RETENTION_DAYS: integerSetting(1, 3_650)
    .prefault('30')
    .describe(
      'How long events can be read by GET /events. They and their deliveries can be looked up ' +
        'for 15 days more, and for 45 days at least. A change of a retention time takes effect ' +
        'with the next `db init`, which every start outside production runs, unless its ' +
        'description says otherwise (rule DATA-11).',
    ),
  CALLBACKS_RETENTION_DAYS: integerSetting(1, 3_650)
    .prefault('90')
    .describe('How long callbacks are logged.'),
  IDEMPOTENCY_RETENTION_HOURS: integerSetting(1, 720)
    .prefault('24')
    .describe(
      'How long the response to an Idempotency-Key is kept for retries; a change applies ' +
        'immediately (rule HTTP-23).',
    ),
  CHANGE_LOG_RETENTION_DAYS: integerSetting(1, 36_500).optional().meta({
    description: 'How long entries of the change log are kept; indefinitely by default.',
    example: '730',
  }),
  OPERATOR_LOG_RETENTION_DAYS: integerSetting(1, 36_500)
    .prefault('365')
    .describe('How long actions of the operator are logged (rule OPS-31).'),
  REQUEST_LOG_DAYS: integerSetting(1, 365)
    .prefault('7')
    .describe('How long reasons of refused requests are logged (rule OPS-36).'),
  USAGE_RETENTION_DAYS: integerSetting(31, 3_650)
    .prefault('35')
    .describe('How long counts of calls are kept (rule OPS-32).'),
  ROLE: enumSetting(['all', 'api', 'worker'])
    .prefault('all')
    .describe(
      'Work of this process: serve the API (api), deliver webhooks (worker), or both (all).',
    ),
  REQUEST_TIMEOUT_MS: integerSetting(100, 600_000)
    .prefault('30000')
    .describe('Longest time a request may take to arrive before it gets 408.'),
  WRITE_TIMEOUT_MS: integerSetting(100, 600_000)
    .prefault('30000')
    .describe(
      'Longest time without progress in reading a response before its connection is closed ' +
        '(rule HTTP-21).',
    ),
  DATABASE_DEADLINE_MS: integerSetting(100, 30_000)
    .prefault('8000')
    .describe('Longest time a request waits for the database before it gets 503 (rule HTTP-12).'),
  DRAIN_MS: integerSetting(0, 5_000)
    .prefault('500')
    .describe(
      'How long requests are still accepted after SIGTERM, while /healthz returns 503 (rule HTTP-13).',
    ),
  ENFORCE_API_DOMAIN: booleanSetting
    .prefault('false')
    .describe("true: a key is valid only on its organization's own API domain (rule AUTH-2)."),
  TRUST_PROXY: trustProxySetting
    .prefault('false')
    .describe(
      'Proxies whose X-Forwarded-* headers are trusted: false, true, a number of hops, or ' +
        'addresses and CIDR ranges separated by commas.',
    ),
  ENCRYPTION_KEYS: encryptionKeysSetting.optional().meta({
    description:
      'Keys that seal the secrets of webhook endpoints and of signed keys, each base64 of 32 ' +
      'bytes, separated by ' +
      'commas, newest first: the first encrypts, all decrypt. Required in production; ' +
      'elsewhere a public key is included.',
    example: '<openssl rand -base64 32>',
  }),
  WEBHOOKS_ALLOW_HTTP: booleanSetting
    .prefault('false')
    .describe('true: webhook endpoints may have http:// URLs. For development (rule HOOK-11).'),
  WEBHOOKS_ALLOW_PRIVATE_NETWORKS: booleanSetting
    .prefault('false')
    .describe(
      'true: webhooks are also sent to loopback and private addresses. For development. ' +
        'Link-local and metadata addresses stay forbidden.',
    ),
  WEBHOOKS_TIMEOUT_MS: integerSetting(100, 30_000)
    .prefault('15000')
    .describe(
      'Longest time for one attempt to deliver a webhook, name lookup included (rule HOOK-6).',
    ),
  WEBHOOKS_CONCURRENCY: integerSetting(4, 1_000)
    .prefault('64')
    .describe(
      'How many webhooks this process sends at the same time: at most half of them to new ' +
        'endpoints, a ' +
        'quarter to slow ones, and a quarter to a single one (rule HOOK-8).',
    ),
});

export const environmentSchema = environmentVariables
  .refine(...isSetInProduction('MONGODB_URI'))
  .refine(...isSetInProduction('ENCRYPTION_KEYS'))
  // A developer's service must not be reachable from the network.
  .transform(({ HOST, ...values }) => ({
    ...values,
    HOST: HOST ?? (values.NODE_ENV === 'production' ? '0.0.0.0' : '127.0.0.1'),
  }));

/** The variables that set something directly, as opposed to naming a file. */
export const settingNames: readonly string[] = Object.keys(environmentVariables.shape);
export const variableNames: readonly string[] = [...settingNames, ...fileVariableNames];

/** Without `when`, zod would skip this check after another error. */
function isSetInProduction(name: 'MONGODB_URI' | 'ENCRYPTION_KEYS') {
  const isSet = (value: z.output<typeof environmentVariables>) =>
    value.NODE_ENV !== 'production' || value[name] !== undefined;
  const parameters = { path: [name], error: 'is required in production', when: () => true };
  return [isSet, parameters] as const;
}
