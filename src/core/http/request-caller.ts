import type { BlockList } from 'node:net';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Types } from 'mongoose';
import type { IdempotencyClaim } from '../idempotency/idempotency-claim.js';
import type { DomainError } from './errors/domain-error.js';
import type { Language } from '../localization/language.js';
import type { RateLimit } from './rate-limit/token-buckets.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by the check of the API key. */
    caller?: RequestCaller;
    /** Judges the bytes of the body before they are parsed; it throws where it refuses them. */
    judgeBody: ((body: Buffer) => void) | null;
  }
}

/** What a key may be used for, and from where. */
export interface KeyRestrictions {
  readonly operations: ReadonlySet<string>;
  /** Null where the key may be used from everywhere. */
  readonly addresses: BlockList | null;
  /** When the key ends. */
  readonly endsAt?: Date;
}

/** Who makes a request, as far as HTTP needs to know. */
export interface RequestCaller {
  readonly organizationId: Types.ObjectId;
  readonly apiKeyId: Types.ObjectId;
  /** What the key permits, as a text; keys with another one may see other things. */
  readonly permissions: string;
  /** What the key is for (rule AUTH-7); without it, nothing that arrives by HTTP is permitted. */
  readonly restrictions?: KeyRestrictions;
  /** The limit of the key itself. */
  readonly rateLimit?: RateLimit;
  /** `x-request-id` of the request, stored with what it changes (rule DATA-9). */
  readonly requestId: string;
  readonly language: Language;
  /**
   * When the request gets its 503, in milliseconds since 1970: work that cannot be stored well before that is not
   * stored at all (rule HTTP-12). Set once the body has arrived; work for nobody's request has none.
   */
  readonly expiresAt?: number;
  /** Takes the errors of the parts of a batch, for those who operate the service. */
  readonly failures?: DomainError[];
  /** Of a request with an `Idempotency-Key`. */
  readonly claim?: IdempotencyClaim;
}

/** Injects the {@link RequestCaller} that the guard has set; only on guarded endpoints. */
export const CurrentCaller = createParamDecorator((_: unknown, context: ExecutionContext) => {
  const { caller } = context.switchToHttp().getRequest<FastifyRequest>();
  if (caller === undefined) throw new Error('The endpoint is public and has no caller.');
  return caller;
});
