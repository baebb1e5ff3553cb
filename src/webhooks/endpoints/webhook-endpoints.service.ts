import { Inject, Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import { Clock } from '../../core/configuration/clock.js';
import { ENVIRONMENT, type Environment } from '../../core/configuration/environment.js';
import type { KeysetPage, KeysetRequest } from '../../core/database/documents/keyset.js';
import { withoutUndefined } from '../../core/values/json.js';
import type { FailureReason } from '../deliveries/webhook-delivery.schema.js';
import { WebhookDeliveriesRepository } from '../deliveries/webhook-deliveries.repository.js';
import { urlViolation } from '../sending/ssrf-policy.js';
import { newSecret } from '../../core/secrets/signing-secret.js';
import { hasValidEventTypes } from '../deliveries/attempt-outcome.js';
import { SecretKeys } from './secret-keys.js';
import type {
  DisabledReason,
  EndpointFailure,
  WebhookEndpointDocument,
} from './webhook-endpoint.schema.js';
import { dayMs } from '../../core/values/time.js';
import {
  type AttemptCounts,
  WebhookStatsRepository,
} from '../statistics/webhook-stats.repository.js';
import { startOfQuarterHour } from '../statistics/webhook-stats.schema.js';
import { type EndpointState, endpointState } from './endpoint-state.js';
import {
  type DeliveryCounts,
  type EndpointQuery,
  WebhookEndpointsRepository,
} from './webhook-endpoints.repository.js';

export interface EndpointFields {
  readonly url?: string;
  readonly eventTypes?: readonly string[];
}

export interface EndpointWithSecret {
  readonly endpoint: WebhookEndpointDocument;
  readonly secret: string;
}

export interface EndpointWithStats extends EndpointView, DeliveryCounts {
  readonly state: EndpointState;
  /** Attempts of the last 24 hours. */
  readonly day: AttemptCounts;
}

/** Endpoints are few, so that one page can have all of them. */
const maxListed = 2_000;

export type EndpointView = Readonly<ReturnType<typeof endpointView>>;

@Injectable()
export class WebhookEndpointsService {
  constructor(
    private readonly endpoints: WebhookEndpointsRepository,
    private readonly deliveries: WebhookDeliveriesRepository,
    private readonly statistics: WebhookStatsRepository,
    private readonly secrets: SecretKeys,
    private readonly clock: Clock,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  /** @throws Error when the URL is not allowed */
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
    await this.endpoints.add(endpoint);
    return { endpoint, secret };
  }

  /** Also finds a removed endpoint while its deliveries are kept. */
  async find(_id: Types.ObjectId): Promise<WebhookEndpointDocument | null> {
    return this.endpoints.find(_id);
  }

  async inspect(
    _id: Types.ObjectId,
  ): Promise<{ readonly document: WebhookEndpointDocument; readonly shown: EndpointView } | null> {
    const document = await this.find(_id);
    return document === null ? null : { document, shown: endpointView(document) };
  }

  /** Returns the oldest first, of one or all organizations. */
  async list(organizationId?: Types.ObjectId): Promise<EndpointView[]> {
    return (await this.endpoints.list(organizationId)).map(endpointView);
  }

  /** Returns the newest first; costs two commands. */
  async listWithStats(
    query: EndpointQuery = {},
    part: KeysetRequest = { limit: maxListed },
  ): Promise<KeysetPage<EndpointWithStats>> {
    const { items, next } = await this.endpoints.listWithCounts(query, part);
    const now = this.clock.now();
    const dayAgo = startOfQuarterHour(new Date(now.getTime() - dayMs));
    const counts = await this.statistics.countsSince(items, dayAgo);
    const withStats = items.map((item) => {
      const { waiting, hasMoreWaiting, failed, hasMoreFailed } = item;
      const view = endpointView(item);
      const { delivered = 0, failed: failedAttempts = 0 } = counts.get(view._id) ?? {};
      const day = { delivered, failed: failedAttempts };
      const state = endpointState(view, now);
      return { ...view, state, day, waiting, hasMoreWaiting, failed, hasMoreFailed };
    });
    return { items: withStats, next };
  }

  /** Finds endpoints of all organizations by a part of the URL, ignoring case. */
  async searchByUrl(text: string, limit: number): Promise<EndpointView[]> {
    return (await this.endpoints.searchByUrl(text, limit)).map(endpointView);
  }

  /** @throws Error when the URL is not allowed */
  async update(_id: Types.ObjectId, { url, eventTypes }: EndpointFields): Promise<void> {
    if (url !== undefined) this.checkUrl(url);
    const fields = withoutUndefined({ url, eventTypes: eventTypes && [...eventTypes] });
    await this.endpoints.set({ _id, removedAt: null }, fields);
  }

  /** Resets failures; missed events are not sent. */
  async enable(_id: Types.ObjectId): Promise<void> {
    const endpoint = await this.find(_id);
    // Deliveries may still be pending after a response has disabled the endpoint.
    if (endpoint?.isEnabled !== true) await this.failPending(_id, 'endpoint disabled');
    const on = { isEnabled: true, disabledReason: null, failingSince: null, pausedUntil: null };
    await this.endpoints.set({ _id, removedAt: null }, on);
  }

  async disable(_id: Types.ObjectId): Promise<void> {
    const disabledReason: DisabledReason = 'operator';
    // The filter keeps an earlier reason.
    await this.endpoints.set({ _id, isEnabled: true }, { isEnabled: false, disabledReason });
    await this.failPending(_id, 'endpoint disabled');
  }

  /** Older secrets also sign during the overlap (rule HOOK-12). */
  async rotateSecret(_id: Types.ObjectId, overlapMs: number): Promise<EndpointWithSecret | null> {
    const now = this.clock.now();
    const secret = newSecret();
    const sealed = this.secrets.seal(_id, secret, now);
    const othersUntil = new Date(now.getTime() + overlapMs);
    const endpoint = await this.endpoints.addSecret(_id, sealed, othersUntil);
    return endpoint === null ? null : { endpoint, secret };
  }

  /** Keeps finished deliveries for lookups. */
  async remove(_id: Types.ObjectId): Promise<void> {
    const disabledReason: DisabledReason = 'removed';
    const off = { isEnabled: false, disabledReason, secrets: [] };
    await this.endpoints.set({ _id }, { ...off, removedAt: this.clock.now() });
    await this.failPending(_id, 'endpoint removed');
  }

  /** Returns null for an allowed URL (rule HOOK-11). */
  forbiddenReason(url: string): string | null {
    return urlViolation(url, this.environment);
  }

  private async failPending(_id: Types.ObjectId, reason: FailureReason): Promise<void> {
    while (await this.deliveries.failPendingBatch(_id, reason, this.clock.now()));
  }

  private checkUrl(url: string): void {
    const reason = this.forbiddenReason(url);
    if (reason !== null) throw new Error(`The URL ${url} is not allowed: ${reason}.`);
  }
}

/** Shows only the creation and expiry times of secrets, never the secrets. */
export function endpointView(document: WebhookEndpointDocument) {
  const isSubscribed = hasValidEventTypes(document);
  return {
    _id: document._id.toHexString(),
    organizationId: document.organizationId.toHexString(),
    url: document.url,
    eventTypes: isSubscribed ? (document.eventTypes ?? []) : [],
    isEnabled: document.isEnabled === true,
    isRemoved: Boolean(document.removedAt),
    disabledReason: document.disabledReason ?? null,
    fault: isSubscribed ? (document.fault ?? null) : 'eventTypes is not a list',
    failingSince: document.failingSince ?? null,
    failedAttempts: document.failingSince ? (document.failedAttempts ?? 0) : 0,
    lastFailure: document.lastFailure ? failureView(document.lastFailure) : null,
    lastSuccessAt: document.lastSuccessAt ?? null,
    pausedUntil: document.pausedUntil ?? null,
    secrets: (document.secrets ?? []).map(({ createdAt, expiresAt }) => ({ createdAt, expiresAt })),
    createdAt: document.createdAt,
    updatedAt: document.updatedAt,
  };
}

function failureView({ objectId: _objectId, deliveryId, ...fields }: EndpointFailure) {
  return { ...fields, deliveryId: deliveryId.toHexString() };
}
