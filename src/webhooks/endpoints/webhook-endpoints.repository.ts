import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { Model, Types } from 'mongoose';
import type {
  DisabledReason,
  SealedSecret,
  WebhookEndpointDocument,
} from './webhook-endpoint.schema.js';

/** The queries on `webhookEndpoints`. */
@Injectable()
export class WebhookEndpointsRepository {
  constructor(
    @InjectModel('WebhookEndpoint') private readonly model: Model<WebhookEndpointDocument>,
  ) {}

  async insert(endpoint: WebhookEndpointDocument): Promise<void> {
    await this.model.collection.insertOne(endpoint);
  }

  async findById(_id: Types.ObjectId): Promise<WebhookEndpointDocument | null> {
    return this.model.collection.findOne<WebhookEndpointDocument>({ _id });
  }

  async listOfOrganization(organizationId: Types.ObjectId): Promise<WebhookEndpointDocument[]> {
    return this.list({ organizationId });
  }

  /** The endpoints of several organizations that take events now. */
  async findEnabled(
    organizationIds: readonly Types.ObjectId[],
  ): Promise<WebhookEndpointDocument[]> {
    return this.list({ organizationId: { $in: organizationIds }, isEnabled: true });
  }

  /** @returns whether there is such an endpoint */
  async setFields(_id: Types.ObjectId, fields: Partial<WebhookEndpointDocument>): Promise<boolean> {
    const result = await this.model.collection.updateOne({ _id }, { $set: fields });
    return result.matchedCount > 0;
  }

  /** Turns an endpoint off, once: the first reason stays. */
  async disable(_id: Types.ObjectId, reason: DisabledReason, now: Date): Promise<boolean> {
    const result = await this.model.collection.updateOne(
      { _id, isEnabled: true },
      { $set: { isEnabled: false, disabledReason: reason, updatedAt: now } },
    );
    return result.modifiedCount > 0;
  }

  /** Turns an endpoint off that has not had a success since a time. */
  async disableWhenFailingSince(_id: Types.ObjectId, time: Date, now: Date): Promise<boolean> {
    const result = await this.model.collection.updateOne(
      { _id, isEnabled: true, failingSince: { $lte: time } },
      { $set: { isEnabled: false, disabledReason: 'failing', updatedAt: now } },
    );
    return result.modifiedCount > 0;
  }

  /** Notes a failure; only the first one after a success counts. */
  async markFailing(_id: Types.ObjectId, failingSince: Date): Promise<void> {
    await this.model.collection.updateOne({ _id, failingSince: null }, { $set: { failingSince } });
  }

  /** Leaves an endpoint alone for a while; a pause that is longer already stays. */
  async pause(_id: Types.ObjectId, pausedUntil: Date): Promise<void> {
    await this.model.collection.updateOne({ _id }, { $max: { pausedUntil } });
  }

  /** Notes a success. A pause goes on: the receiver has asked for it, whatever came after. */
  async clearFailure(_id: Types.ObjectId): Promise<void> {
    await this.model.collection.updateOne({ _id }, { $set: { failingSince: null } });
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
    // One statement, so that of two rotations at the same moment neither is lost.
    const living = {
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
    const ending = {
      $map: {
        input: living,
        in: {
          $mergeObjects: [
            '$$this',
            { expiresAt: { $min: [{ $ifNull: ['$$this.expiresAt', othersUntil] }, othersUntil] } },
          ],
        },
      },
    };
    const secrets = { $concatArrays: [[{ $literal: secret }], ending] };
    const updated = await this.model.collection.findOneAndUpdate(
      { _id },
      [{ $set: { secrets, updatedAt: secret.createdAt } }],
      { returnDocument: 'after' },
    );
    return updated as WebhookEndpointDocument | null;
  }

  /** @returns whether there was such an endpoint */
  async remove(_id: Types.ObjectId): Promise<boolean> {
    return (await this.model.collection.deleteOne({ _id })).deletedCount > 0;
  }

  private list(filter: object): Promise<WebhookEndpointDocument[]> {
    return this.model.collection
      .find<WebhookEndpointDocument>(filter)
      .sort({ createdAt: 1 })
      .toArray();
  }
}
