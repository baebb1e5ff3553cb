import type { FastifyInstance } from 'fastify';
import type { RouteOptions } from '../requests/route-options.js';

declare module 'fastify' {
  interface FastifyInstance {
    /** Returns true for an origin whose pages may call routes with {@link corsForPages}. */
    isPageOrigin: (origin: string) => Promise<boolean>;
  }
}

/** Pages may only send; a preflight for another method is refused. */
export const pageMethod = 'POST';

/** Lets pages of known origins call a route, without cookies, and read its errors (rule AUTH-10). */
export const corsForPages = {
  async origin(this: FastifyInstance, origin: string | undefined) {
    return origin !== undefined && (await this.isPageOrigin(origin));
  },
  methods: pageMethod,
  allowedHeaders: ['api-key', 'content-type', 'idempotency-key', 'language', 'x-request-id'],
  exposedHeaders: [
    'x-request-id',
    'x-error-code',
    'x-ignored-fields',
    'idempotent-replayed',
    'retry-after',
    'ratelimit',
    'ratelimit-policy',
  ],
  maxAge: 600,
} satisfies RouteOptions['cors'];

/**
 * Applies to routes without `cors`, whose responses get no header. The hook runs before the body is parsed, and after
 * the hooks that refuse a preflight for another method.
 */
export const corsDefaults = { origin: false, hook: 'preParsing' } satisfies RouteOptions['cors'];

/** The plugin sets these for an origin that it permits. */
export const allowedOriginHeader = 'access-control-allow-origin';
export const exposedHeadersHeader = 'access-control-expose-headers';
