import type { FastifyRequest } from 'fastify';
import type { Language } from '../../localization/language.js';
import type { ErrorDefinition } from '../errors/domain-error.js';
import type { Operation } from '../operations.js';
import type { DtoClass } from '../validation/field.js';
import type { NumberError } from '../validation/json-body.js';

/** Rule HTTP-1. */
export const basePath = 'external/apis/v1.0';

export interface RouteOptions {
  readonly isPublic?: boolean;
  readonly permission?: Operation;
  /** A parameter in another endpoint's path matches too, but does not add its methods. */
  readonly isOnlyMethod?: boolean;
  readonly hasNoEndpoint?: boolean;
  readonly fixedLanguage?: Language;
  /** The query parameter is `api-key`; the header takes precedence. */
  readonly acceptsKeyInQuery?: boolean;
  /** Rule DATA-6. */
  readonly isCached?: boolean;
  /** Nesting levels that a batch adds around each request body. */
  readonly envelopeDepth?: number;
  /** Rejects numbers that a double would change; without it they are rounded. */
  readonly inexactNumber?: NumberError;
  /** Only these fields are read, so others may have values that could not be stored. */
  readonly readsOnly?: DtoClass;
  readonly maxWaitMs?: number;
  readonly keyErrors?: readonly ErrorDefinition[];
}

export function routeOptionsOf(request: FastifyRequest): RouteOptions {
  return request.routeOptions.config as RouteOptions;
}

export function routePatternOf(request: FastifyRequest): string {
  const { url, config } = request.routeOptions;
  const { hasNoEndpoint } = config as RouteOptions;
  return url === undefined || hasNoEndpoint === true ? 'unknown' : url;
}
