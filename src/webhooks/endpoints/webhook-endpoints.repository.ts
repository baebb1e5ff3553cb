import { Injectable } from '@nestjs/common';
import type { Collection, Filter } from 'mongodb';
import type { Types } from 'mongoose';
import {
  type CollectionAcrossTenants,
  InjectAcrossTenants,
} from '../../core/database/documents/across-tenants.js';
import { bufferedBatches } from '../../core/database/documents/cursors.js';
import { openSession } from '../../core/database/transactions/open-session.js';
import type { SealedSecret, WebhookEndpointDocument } from './webhook-endpoint.schema.js';

/** An endpoint as it is read for its secrets. */
export type EndpointSecretsOnly = Pick<
  WebhookEndpointDocument,
  '_id' | 'organizationId' | 'secrets'
>;

/** A sealed secret of an endpoint, and what takes its place. */
export interface SealedReplacement {
  readonly _id: Types.ObjectId;
  readonly from: string;
  readonly to: string;
}

/** How many endpoints are read at a time where all are. */
const batchSize = 100;

/** The queries on `webhookEndpoints`, for the command line and the background work. */
@Injectable()
export class WebhookEndpointsRepository {
  private readonly endpoints: Collection<WebhookEndpointDocument>;

  constructor(
    @InjectAcrossTenants('WebhookEndpoint')
    collection: CollectionAcrossTenants<WebhookEndpointDocument>,
  ) {
    this.endpoints = collection.acrossTenants;
  }

  async insert(endpoint: WebhookEndpointDocument): Promise<void> {
    await this.endpoints.insertOne(endpoint);
  }

  /** The endpoint of an id, also one that was removed. */
  async findById(_id: Types.ObjectId): Promise<WebhookEndpointDocument | null> {
    return this.endpoints.findOne({ _id });
  }

  /** Whose some endpoints are. */
  async findOrganizationsOf(
    ids: readonly Types.ObjectId[],
  ): Promise<Pick<WebhookEndpointDocument, '_id' | 'organizationId'>[]> {
    const options = { projection: { organizationId: 1 } };
    return this.endpoints.find({ _id: { $in: [...ids] } }, options).toArray();
  }

  /**
   * Endpoints by their ids, newest first: of one organization or of all.
   *
   * @param before only those before this id
   */
  async listBefore(
    organizationId: Types.ObjectId | undefined,
    before: Types.ObjectId | undefined,
    limit: number,
  ): Promise<WebhookEndpointDocument[]> {
    const filter: Filter<WebhookEndpointDocument> = {
      ...(organizationId === undefined ? {} : { organizationId }),
      _id: before === undefined ? { $exists: true } : { $lt: before },
      removedAt: null,
    };
    const options = { sort: { _id: -1 }, limit, projection: { secrets: 0 } } as const;
    return this.endpoints.find(filter, options).toArray();
  }

  /** Endpoints that are not removed, oldest first, as an open transaction sees them. */
  async list(filter: Filter<WebhookEndpointDocument>): Promise<WebhookEndpointDocument[]> {
    return this.endpoints
      .find({ ...filter, removedAt: null }, openSession())
      .sort({ createdAt: 1 })
      .toArray();
  }

  /** Sets fields of the endpoint that matches, in the transaction that is open around it, if any. */
  async set(
    filter: Filter<WebhookEndpointDocument>,
    fields: Partial<WebhookEndpointDocument>,
  ): Promise<void> {
    await this.endpoints.updateOne(filter, { $set: fields }, openSession());
  }

  /**
   * Puts a new secret in front of the others, which sign until a time.
   *
   * @returns the endpoint as it is then, null when there is none
   */
  async addSecret(
    _id: Types.ObjectId,
    secret: SealedSecret,
    othersUntil: Date,
  ): Promise<WebhookEndpointDocument | null> {
    // One statement, so that of two concurrent rotations neither is lost.
    const activeSecrets = {
      $filter: {
        input: { $ifNull: ['$secrets', []] },
        cond: {
          $or: [
            { $eq: ['$$this.expiresAt', null] },
            { $gt: ['$$this.expiresAt', secret.createdAt] },
          ],
        },
      },
    };
    const expiringSecrets = {
      $map: {
        input: activeSecrets,
        in: {
          $mergeObjects: [
            '$$this',
            { expiresAt: { $min: [{ $ifNull: ['$$this.expiresAt', othersUntil] }, othersUntil] } },
          ],
        },
      },
    };
    const secrets = { $concatArrays: [[{ $literal: secret }], expiringSecrets] };
    return this.endpoints.findOneAndUpdate(
      { _id, removedAt: null },
      [{ $set: { secrets, updatedAt: secret.createdAt } }],
      { returnDocument: 'after' },
    );
  }

  /** All endpoints that have secrets, in batches. */
  async *batchesWithSecrets(): AsyncGenerator<EndpointSecretsOnly[]> {
    const projection = { organizationId: 1, secrets: 1 };
    const cursor = this.endpoints
      .find<EndpointSecretsOnly>({ 'secrets.0': { $exists: true } }, { projection })
      .sort({ _id: 1 })
      .batchSize(batchSize);
    yield* bufferedBatches(cursor);
  }

  /**
   * Replaces sealed secrets, each only where it still is what it was: it may have been replaced or
   * removed meanwhile.
   *
   * @returns how many were replaced
   */
  async replaceSealed(replacements: readonly SealedReplacement[]): Promise<number> {
    if (replacements.length === 0) return 0;
    const operations = replacements.map(({ _id, from, to }) => ({
      updateOne: {
        filter: { _id, 'secrets.sealed': from },
        update: { $set: { 'secrets.$.sealed': to } },
      },
    }));
    const { modifiedCount } = await this.endpoints.bulkWrite(operations, { ordered: false });
    return modifiedCount;
  }

  /**
   * Notes that a replay begins, unless one of the same name has begun since a time and not ended.
   *
   * @param name letters, digits and hyphens
   * @returns when it began
   */
  async beginReplay(_id: Types.ObjectId, name: string, since: Date, now: Date): Promise<Date> {
    const field = `replays.${name}`;
    const begun = { $cond: [{ $gt: [`$${field}`, since] }, `$${field}`, now] };
    const update = [{ $set: { [field]: begun } }];
    const endpoint = await this.endpoints.findOneAndUpdate({ _id }, update, {
      returnDocument: 'after',
    });
    return endpoint?.replays?.[name] ?? now;
  }

  /** Notes that a replay has come to its end. */
  async endReplay(_id: Types.ObjectId, name: string): Promise<void> {
    await this.endpoints.updateOne({ _id }, { $unset: { [`replays.${name}`]: '' } });
  }
}
