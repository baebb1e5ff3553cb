import type { FastifyRequest } from 'fastify';
import type { Language } from '../../localization/language.js';
import type { ErrorDefinition } from '../errors/domain-error.js';
import type { Operation } from '../operations.js';
import type { DtoClass } from '../validation/field.js';
import type { NumberError } from '../validation/json-body.js';

/** How an endpoint differs from the others. */
export interface RouteOptions {
  /** It needs no API key. */
  readonly isPublic?: boolean;
  /** The operation that the API key must permit. */
  readonly permission?: Operation;
  /** Its path takes no other method, though a parameter in the path of another endpoint matches it. */
  readonly isOnlyMethod?: boolean;
  /** It only rejects the methods that a path does not have. */
  readonly hasNoEndpoint?: boolean;
  /** Its messages are always in this language; its callers are programs. */
  readonly fixedLanguage?: Language;
  /** It takes the API key as the query parameter `api-key` too; the header decides. */
  readonly acceptsKeyInQuery?: boolean;
  /** Its responses are cached for a second (rule DATA-6). */
  readonly isCached?: boolean;
  /** How many levels of its body are around what could be a body of its own. */
  readonly envelopeDepth?: number;
  /** What a number of its body is refused with that would come back changed; it is rounded without. */
  readonly inexactNumber?: NumberError;
  /** What of its body is read, so that all else may have any value; without, a value that could not be stored is a 400. */
  readonly readsOnly?: DtoClass;
  /** How long it may wait for something else than the database, in milliseconds. */
  readonly longestWaitMs?: number;
  /** The errors of an API key as this endpoint words them, by their codes. */
  readonly keyErrors?: readonly ErrorDefinition[];
}

/** The options of the endpoint that a request reaches. */
export function routeOptionsOf(request: FastifyRequest): RouteOptions {
  return request.routeOptions.config as RouteOptions;
}

/** The path pattern of the endpoint that a request reaches; `unknown` where there is none. */
export function routePatternOf(request: FastifyRequest): string {
  const { url, config } = request.routeOptions;
  const { hasNoEndpoint } = config as RouteOptions;
  return url === undefined || hasNoEndpoint === true ? 'unknown' : url;
}
