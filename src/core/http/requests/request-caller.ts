import type { BlockList } from 'node:net';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Types } from 'mongoose';
import type { IdempotencyClaim } from './idempotency-claim.js';
import type { DomainError } from '../../errors/domain-error.js';
import type { Language } from '../../localization/language.js';

declare module 'fastify' {
  interface FastifyRequest {
    caller?: RequestCaller;
  }
}

export interface RateLimit {
  readonly rps: number;
  readonly burst: number;
}

export interface KeyRestrictions {
  readonly operations: ReadonlySet<string>;
  /** If it is null, every address is permitted. */
  readonly addresses: BlockList | null;
  /** If it is null, pages cannot use the key. Otherwise only pages of these origins can. */
  readonly origins: ReadonlySet<string> | null;
  readonly visibility: 'all' | 'public';
  readonly endsAt?: Date;
}

export interface RequestCaller {
  readonly organizationId: Types.ObjectId;
  readonly apiKeyId: Types.ObjectId;
  /** Serialized, because it is part of cache keys. */
  readonly permissionsJson: string;
  /** If absent, no HTTP request is permitted (rule AUTH-7). */
  readonly restrictions?: KeyRestrictions;
  readonly rateLimit?: RateLimit;
  /** It is stored with each change (rule DATA-9). */
  readonly requestId: string;
  readonly language: Language;
  /** Deadline in milliseconds since 1970; changes must be stored well before (rule HTTP-12). */
  readonly expiresAt?: number;
  /** The log contains the errors of single items of a batch. */
  readonly failures?: DomainError[];
  /** Codes of what an accepted request did not do, for the operator (rule OPS-36). */
  readonly notices?: Set<string>;
  readonly claim?: IdempotencyClaim;
}

export function isPermitted(
  caller: Pick<RequestCaller, 'restrictions'> | undefined,
  operation: string,
): boolean {
  return caller?.restrictions?.operations.has(operation) === true;
}

/** A caller whose visibility is unknown sees no more than the public. */
export function seesOnlyPublic({ restrictions }: Pick<RequestCaller, 'restrictions'>): boolean {
  return restrictions?.visibility !== 'all';
}

export const CurrentCaller = createParamDecorator((_: unknown, context: ExecutionContext) => {
  const { caller } = context.switchToHttp().getRequest<FastifyRequest>();
  if (caller === undefined) throw new Error('The endpoint is public and has no caller.');
  return caller;
});
