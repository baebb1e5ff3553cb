import { nodeVariables } from './node-flags.mjs';

/**
 * The configuration of the service: that of production, but for receivers of webhooks on loopback, with the
 * highest limit of requests, and for the longest deadline that there is: a busy machine makes runs slow and not wrong.
 */
export function productionEnvironment(uri) {
  return {
    ...nodeVariables,
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    NODE_ENV: 'production',
    ROLE: 'all',
    PORT: '0',
    HOST: '127.0.0.1',
    MONGODB_URI: uri,
    ENCRYPTION_KEYS: Buffer.alloc(32, 7).toString('base64'),
    DATABASE_DEADLINE_MS: '30000',
    RATE_LIMIT_RPS: '1000000',
    RATE_LIMIT_BURST: '1000000',
    WEBHOOKS_ALLOW_HTTP: 'true',
    WEBHOOKS_ALLOW_PRIVATE_NETWORKS: 'true',
  };
}
