import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { Types } from 'mongoose';
import { Clock } from '../../core/configuration/clock.js';
import { routeOptionsOf } from '../../core/http/requests/route-options.js';
import type { CompletedRequest } from '../../core/http/server/request-log.js';
import { type Operation, operations } from '../../tenants/keys/operations.js';
import { KeyActivityRepository } from './key-activity.repository.js';
import type { FeedPosition, KeyActivityDocument } from './key-activity.schema.js';

/** Beyond this number, the next use of a key is noted after the others are stored. */
const maxKeys = 5_000;
const isNoUse: ReadonlySet<number> = new Set([401, 403, 429]);

export interface UsedOperation {
  readonly operation: Operation;
  readonly lastUsedAt: Date;
}

export interface KeyActivity {
  /** Time of the first use that was noted; uses before an update of the service are unknown. */
  readonly since: Date | null;
  readonly usedOperations: readonly UsedOperation[];
  readonly feed: FeedPosition | null;
}

/** Remembers when keys used their operations, and how far they have read the event feed (rule OPS-33). */
@Injectable()
export class KeyActivityService {
  private readonly waiting = new Map<string, KeyActivityDocument>();

  constructor(
    private readonly activity: KeyActivityRepository,
    private readonly clock: Clock,
  ) {}

  /** A request that was refused before its operation was judged, or because of it, is no use. */
  note({ apiKeyId, status }: CompletedRequest, request: FastifyRequest): void {
    const { operation: needed } = routeOptionsOf(request);
    const operation = operations.find((name) => name === needed);
    if (apiKeyId === undefined || operation === undefined || isNoUse.has(status)) return;
    const known = this.waiting.get(apiKeyId);
    if (known === undefined && this.waiting.size >= maxKeys) return;
    const at = this.clock.now();
    const isFeedRead = operation === 'events.read' && status < 400;
    this.waiting.set(apiKeyId, {
      ...known,
      _id: known?._id ?? new Types.ObjectId(apiKeyId),
      since: known?.since ?? at,
      operations: { ...known?.operations, [fieldOf(operation)]: at },
      ...(isFeedRead && { feed: { at, after: afterOf(request) } }),
    });
  }

  /** Keeps what could not be stored. */
  async store(): Promise<void> {
    const stored = [...this.waiting];
    if (stored.length === 0) return;
    await this.activity.add(stored.map(([, activity]) => activity));
    for (const [keyId, activity] of stored) {
      if (this.waiting.get(keyId) === activity) this.waiting.delete(keyId);
    }
  }

  /** Keyed by key id; omits keys that were never used. */
  async findByIds(keyIds: readonly Types.ObjectId[]): Promise<ReadonlyMap<string, KeyActivity>> {
    return byKey(await this.activity.findByIds(keyIds));
  }

  async listAll(): Promise<ReadonlyMap<string, KeyActivity>> {
    return byKey(await this.activity.listAll());
  }
}

function byKey(documents: readonly KeyActivityDocument[]): ReadonlyMap<string, KeyActivity> {
  return new Map(documents.map((document) => [document._id.toHexString(), toActivity(document)]));
}

function toActivity({ since, operations: times = {}, feed }: KeyActivityDocument): KeyActivity {
  const usedOperations = operations.flatMap((operation) => {
    const lastUsedAt = times[fieldOf(operation)];
    return lastUsedAt === undefined ? [] : { operation, lastUsedAt };
  });
  return { since: since ?? null, usedOperations, feed: feed ?? null };
}

/** Stored field names must not have dots. */
function fieldOf(operation: Operation): string {
  return operation.replace('.', ':');
}

/** The validation of an accepted request has made sure that it is a number. */
function afterOf({ query }: FastifyRequest): number {
  return Number((query as { readonly after?: string }).after ?? 0);
}
