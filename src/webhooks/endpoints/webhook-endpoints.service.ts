import { Inject, Injectable } from '@nestjs/common';
import type { Filter } from 'mongodb';
import { Types } from 'mongoose';
import { Clock } from '../../core/configuration/clock.js';
import { ENVIRONMENT, type Environment } from '../../core/configuration/environment.js';
import {
  type CollectionAcrossTenants,
  InjectAcrossTenants,
} from '../../core/database/documents/across-tenants.js';
import { DeliveryQueueRepository } from '../deliveries/delivery-queue.repository.js';
import { addressPolicy, urlViolation } from '../sending/addresses.js';
import { newSecret } from '../../core/secrets/signing-secret.js';
import { SecretKeys } from './secret-keys.js';
import type { DisabledReason, WebhookEndpointDocument } from './webhook-endpoint.schema.js';

/** What the operator decides about an endpoint. */
export interface EndpointFields {
  readonly url?: string;
  readonly eventTypes?: readonly string[];
}

/** An endpoint with its new secret, the one time that it is shown. */
export interface EndpointWithSecret {
  readonly endpoint: WebhookEndpointDocument;
  readonly secret: string;
}

/** What may be shown of an endpoint: of its secrets only until when they sign. */
export type ShownEndpoint = Readonly<ReturnType<typeof shownEndpoint>>;

/** Operations on webhook endpoints for the operator. */
@Injectable()
export class WebhookEndpointsService {
  constructor(
    @InjectAcrossTenants('WebhookEndpoint')
    private readonly endpoints: CollectionAcrossTenants<WebhookEndpointDocument>,
    private readonly secrets: SecretKeys,
    private readonly queue: DeliveryQueueRepository,
    private readonly clock: Clock,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  /**
   * Subscribes an endpoint to the events from now on.
   *
   * @throws Error with one line when the URL is not allowed
   */
  async add(
    organizationId: Types.ObjectId,
    { url, eventTypes }: Required<EndpointFields>,
  ): Promise<EndpointWithSecret> {
    this.checkUrl(url);
    const now = this.clock.now();
    const _id = new Types.ObjectId();
    const secret = newSecret();
    const endpoint: WebhookEndpointDocument = {
      _id,
      organizationId,
      url,
      eventTypes: [...eventTypes],
      isEnabled: true,
      disabledReason: null,
      secrets: [this.secrets.seal(_id, secret, now)],
      failingSince: null,
      pausedUntil: null,
      createdAt: now,
      updatedAt: now,
    };
    await this.endpoints.acrossTenants.insertOne(endpoint);
    return { endpoint, secret };
  }

  /** The endpoint of an id, null when there is none or it was removed. */
  async find(_id: Types.ObjectId): Promise<WebhookEndpointDocument | null> {
    const endpoint = await this.findWithRemoved(_id);
    return endpoint?.removedAt ? null : endpoint;
  }

  /** The endpoint of an id, also one that was removed in the last 30 days. */
  async findWithRemoved(_id: Types.ObjectId): Promise<WebhookEndpointDocument | null> {
    return this.endpoints.acrossTenants.findOne({ _id });
  }

  /** The endpoint of an id with what may be shown of it, also when it was removed; null when there is none. */
  async show(
    _id: Types.ObjectId,
  ): Promise<{ readonly document: WebhookEndpointDocument; readonly shown: ShownEndpoint } | null> {
    const document = await this.findWithRemoved(_id);
    return document === null ? null : { document, shown: shownEndpoint(document) };
  }

  /**
   * A part of the endpoints, newest first.
   *
   * @param organizationId whose; those of all organizations without it
   * @returns `next` is the `older` of the next part, null at the end
   */
  async listPage(
    organizationId: Types.ObjectId | undefined,
    { older, limit }: { readonly older?: Types.ObjectId | undefined; readonly limit: number },
  ): Promise<{ readonly items: readonly ShownEndpoint[]; readonly next: string | null }> {
    const found = await this.endpoints.acrossTenants
      .find(
        {
          ...(organizationId === undefined ? {} : { organizationId }),
          _id: older === undefined ? { $exists: true } : { $lt: older },
          removedAt: null,
        },
        { sort: { _id: -1 }, limit: limit + 1, projection: { secrets: 0 } },
      )
      .toArray();
    const items = found.slice(0, limit).map(shownEndpoint);
    return { items, next: found.length > limit ? (items.at(-1)?._id ?? null) : null };
  }

  /** All endpoints of an organization, oldest first. */
  async list(organizationId: Types.ObjectId): Promise<ShownEndpoint[]> {
    const options = { sort: { createdAt: 1 } } as const;
    const found = this.endpoints.acrossTenants.find({ organizationId, removedAt: null }, options);
    return (await found.toArray()).map(shownEndpoint);
  }

  /**
   * Changes what is given.
   *
   * @throws Error with one line when the URL is not allowed
   */
  async update(_id: Types.ObjectId, { url, eventTypes }: EndpointFields): Promise<void> {
    if (url !== undefined) this.checkUrl(url);
    await this.set(
      { _id, removedAt: null },
      {
        ...(url === undefined ? {} : { url }),
        ...(eventTypes === undefined ? {} : { eventTypes: [...eventTypes] }),
      },
    );
  }

  /** Turns an endpoint on and forgets its failures; what it has missed is not sent. */
  async enable(_id: Types.ObjectId): Promise<void> {
    const endpoint = await this.find(_id);
    // What was waiting when a response turned it off may be waiting still.
    if (endpoint?.isEnabled !== true)
      await this.queue.failAllWaiting(_id, 'endpoint disabled', this.clock.now());
    const on = { isEnabled: true, disabledReason: null, failingSince: null, pausedUntil: null };
    await this.set({ _id, removedAt: null }, on);
  }

  /** Turns an endpoint off; what waits for it has failed when this is over. */
  async disable(_id: Types.ObjectId): Promise<void> {
    const disabledReason: DisabledReason = 'operator';
    // The first reason stays.
    await this.set({ _id, isEnabled: true }, { isEnabled: false, disabledReason });
    await this.queue.failAllWaiting(_id, 'endpoint disabled', this.clock.now());
  }

  /**
   * Gives an endpoint a new secret. Those before it still sign during the overlap (rule HOOK-12).
   *
   * @returns null when there is no such endpoint
   */
  async rotateSecret(_id: Types.ObjectId, overlapMs: number): Promise<EndpointWithSecret | null> {
    const now = this.clock.now();
    const secret = newSecret();
    const sealed = this.secrets.seal(_id, secret, now);
    const othersUntil = new Date(now.getTime() + overlapMs);
    // One statement, so that of two concurrent rotations neither is lost.
    const expiring = {
      $map: {
        input: '$secrets',
        in: {
          $mergeObjects: ['$$this', { expiresAt: { $min: ['$$this.expiresAt', othersUntil] } }],
        },
      },
    };
    const active = { $filter: { input: expiring, cond: { $gt: ['$$this.expiresAt', now] } } };
    const secrets = { $concatArrays: [[{ $literal: sealed }], { $ifNull: [active, []] }] };
    const endpoint = await this.endpoints.acrossTenants.findOneAndUpdate(
      { _id, removedAt: null },
      [{ $set: { secrets, updatedAt: now } }],
      { returnDocument: 'after' },
    );
    return endpoint === null ? null : { endpoint, secret };
  }

  /** Removes an endpoint and its secrets; what waits for it has failed then, its log stays. */
  async remove(_id: Types.ObjectId): Promise<void> {
    const disabledReason: DisabledReason = 'removed';
    const off = { isEnabled: false, disabledReason, secrets: [] };
    await this.set({ _id }, { ...off, removedAt: this.clock.now() });
    await this.queue.failAllWaiting(_id, 'endpoint removed', this.clock.now());
  }

  /** Why nothing may be sent to a URL; null where it may (rule HOOK-11). */
  forbiddenReason(url: string): string | null {
    return urlViolation(url, addressPolicy(this.environment));
  }

  private async set(
    filter: Filter<WebhookEndpointDocument>,
    fields: Partial<WebhookEndpointDocument>,
  ): Promise<void> {
    const $set = { ...fields, updatedAt: this.clock.now() };
    await this.endpoints.acrossTenants.updateOne(filter, { $set });
  }

  private checkUrl(url: string): void {
    const reason = this.forbiddenReason(url);
    if (reason !== null) throw new Error(`The URL ${url} is not allowed: ${reason}.`);
  }
}

/** What may be shown of an endpoint. */
export function shownEndpoint(document: WebhookEndpointDocument) {
  return {
    _id: document._id.toHexString(),
    organizationId: document.organizationId.toHexString(),
    url: document.url,
    eventTypes: document.eventTypes ?? [],
    isEnabled: document.isEnabled === true,
    isRemoved: Boolean(document.removedAt),
    disabledReason: document.disabledReason ?? null,
    fault: document.fault ?? null,
    failingSince: document.failingSince ?? null,
    pausedUntil: document.pausedUntil ?? null,
    secrets: (document.secrets ?? []).map(({ createdAt, expiresAt }) => ({ createdAt, expiresAt })),
    createdAt: document.createdAt,
    updatedAt: document.updatedAt,
  };
}
