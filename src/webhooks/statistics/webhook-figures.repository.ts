import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import {
  type CollectionAcrossTenants,
  InjectAcrossTenants,
} from '../../core/database/documents/across-tenants.js';
import type { AttemptFigures, WebhookFigureDocument } from './webhook-figure.schema.js';

/** Whose figures they are, and of which quarter of an hour. */
export interface FigureKey {
  readonly organizationId: Types.ObjectId;
  readonly endpointId: Types.ObjectId;
  readonly at: Date;
}

/** The queries on `webhookFigures`. */
@Injectable()
export class WebhookFiguresRepository {
  constructor(
    @InjectAcrossTenants('WebhookFigure')
    private readonly figures: CollectionAcrossTenants<WebhookFigureDocument>,
  ) {}

  /** Adds to what all processes have counted, in one command. */
  async add(
    counted: readonly { readonly key: FigureKey; readonly figures: AttemptFigures }[],
    now: Date,
  ): Promise<void> {
    await this.upsert(
      counted.map(({ key, figures: { delivered, failed, milliseconds } }) => ({
        key,
        update: { $inc: { delivered, failed, milliseconds } },
      })),
      now,
    );
  }

  /** Notes how much waits; the most of a quarter stays. */
  async noteBacklogs(
    backlogs: readonly { readonly key: FigureKey; readonly backlog: number }[],
    now: Date,
  ): Promise<void> {
    await this.upsert(
      backlogs.map(({ key, backlog }) => ({ key, update: { $max: { backlog } } })),
      now,
    );
  }

  /** The figures of endpoints since a time. */
  async since(
    organizationIds: readonly Types.ObjectId[],
    endpointIds: readonly Types.ObjectId[],
    since: Date,
  ): Promise<WebhookFigureDocument[]> {
    if (endpointIds.length === 0) return [];
    const filter = { endpointId: { $in: endpointIds }, at: { $gte: since } };
    return this.figures.find(organizationIds, filter);
  }

  private async upsert(
    updates: readonly { readonly key: FigureKey; readonly update: object }[],
    now: Date,
  ): Promise<void> {
    if (updates.length === 0) return;
    const operations = updates.map(({ key, update }) => ({
      updateOne: {
        filter: { ...key },
        update: { ...update, $set: { updatedAt: now }, $setOnInsert: { createdAt: now } },
        upsert: true,
      },
    }));
    await this.figures.acrossTenants.bulkWrite(operations, { ordered: false });
  }
}
