import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import { Clock } from '../../core/configuration/clock.js';
import type { WebhookEndpointDocument } from '../endpoints/webhook-endpoint.schema.js';
import { WebhookEndpointsRepository } from '../endpoints/webhook-endpoints.repository.js';
import type { FailureReason } from './delivery-outcome.js';
import { DeliveryQueueRepository } from './delivery-queue.repository.js';

/** Longer than a batch takes; a process that has died keeps the others away no longer. */
const claimMs = 10_000;

/** Gives up what waits for endpoints that are disabled or removed (rule HOOK-25). */
@Injectable()
export class DeliveryGiveUps {
  private readonly owner = randomUUID();

  constructor(
    private readonly queue: DeliveryQueueRepository,
    private readonly endpoints: WebhookEndpointsRepository,
    private readonly clock: Clock,
  ) {}

  /** Fails all that waits for an endpoint, batch by batch. */
  async giveUp(endpointId: Types.ObjectId, reason: FailureReason): Promise<void> {
    let failed: number;
    do failed = await this.queue.failWaiting(endpointId, reason, this.clock.now());
    while (failed > 0);
  }

  /**
   * Fails a batch of what waits for an endpoint that is off, unless another process is at it: all
   * of them at once would only conflict with each other.
   *
   * @param endpoint null when there is none, which leaves nothing to agree on
   * @returns whether this process should go on
   */
  async giveUpBatch(
    endpointId: Types.ObjectId,
    endpoint: WebhookEndpointDocument | null,
  ): Promise<boolean> {
    const now = this.clock.now();
    if (endpoint !== null) {
      const until = new Date(now.getTime() + claimMs);
      const isMine = await this.endpoints.claimGivingUp(endpointId, this.owner, now, until);
      if (!isMine) return false;
    }
    const isThere = endpoint !== null && !endpoint.removedAt;
    const reason = isThere ? 'endpoint disabled' : 'endpoint removed';
    // It may be enabled meanwhile, and what comes after that is to be sent.
    return (await this.queue.failWaiting(endpointId, reason, now, now)) > 0;
  }
}
