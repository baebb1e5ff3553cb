import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyRequest } from 'fastify';
import type { Language } from '../../localization/language.js';
import type { ErrorDefinition } from '../../errors/domain-error.js';
import type { DtoClass } from '../../validation/dto-reader.js';

export const basePath = 'external/apis/v1.0';

export interface RouteOptions {
  readonly isPublic?: boolean;
  readonly operation?: string;
  /** Any valid key may call it. */
  readonly needsNoOperation?: boolean;
  /** If absent, no page of a browser may call the route (rule AUTH-10). */
  readonly cors?: Parameters<NestFastifyApplication['enableCors']>[0];
  /** Set where another endpoint's path parameter also matches this path: its methods do not apply. */
  readonly hasOwnMethodsOnly?: boolean;
  readonly hasNoEndpoint?: boolean;
  readonly fixedLanguage?: Language;
  /** Accepts `?api-key=`; the header takes precedence. */
  readonly acceptsKeyInQuery?: boolean;
  /** A body with `dryRun: true` stores nothing, not even a response for its `Idempotency-Key`. */
  readonly hasDryRun?: boolean;
  /** A batch nests each request body this much deeper. */
  readonly envelopeDepth?: number;
  /** Rounds every number to the nearest double; without it some are refused (rule HTTP-8). */
  readonly roundsNumbers?: boolean;
  /** Ignores other fields, which may therefore hold values that could not be stored. */
  readonly readsOnlyFieldsOf?: DtoClass;
  readonly maxWaitMs?: number;
  readonly keyErrors?: readonly ErrorDefinition[];
}

export function routeOptionsOf(request: FastifyRequest): RouteOptions {
  return request.routeOptions.config as RouteOptions;
}
