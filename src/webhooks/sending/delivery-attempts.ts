import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import PQueue from 'p-queue';
import { Clock } from '../../core/configuration/clock.js';
import { traced } from '../../core/observability/tracing.js';
import { type Message, messageIdOf, messageOf } from '../../events/outbox/message.js';
import { OutboxEventsRepository } from '../../events/outbox/outbox-events.repository.js';
import { isSuccess, outcomeOf } from '../deliveries/delivery-outcome.js';
import {
  DeliveryQueueRepository,
  type DueDelivery,
  type FinishedAttempt,
} from '../deliveries/delivery-queue.repository.js';
import type { WebhookEndpointDocument } from '../endpoints/webhook-endpoint.schema.js';
import { WebhookStatisticsService } from '../statistics/webhook-statistics.service.js';
import { AttemptSlots } from './attempt-slots.js';
import { WebhookSender } from './webhook-sender.js';

/** The end of a process's work. */
export interface Shutdown {
  /** Begins no further attempt. */
  readonly stopping: AbortSignal;
  /** Ends the attempts that are running. */
  readonly aborting: AbortSignal;
}

/** Sends the deliveries of a batch together, as far as there is room for attempts. */
@Injectable()
export class DeliveryAttempts {
  constructor(
    private readonly slots: AttemptSlots,
    private readonly queue: DeliveryQueueRepository,
    private readonly events: OutboxEventsRepository,
    private readonly sender: WebhookSender,
    private readonly statistics: WebhookStatisticsService,
    private readonly clock: Clock,
  ) {}

  /** Attempts deliveries until one fails: then the endpoint gets them more slowly. Gives those with a result. */
  async all(
    { _id, organizationId, url, latencyClass = 'new' }: WebhookEndpointDocument,
    deliveries: readonly DueDelivery[],
    secrets: readonly string[],
    shutdown: Shutdown,
  ): Promise<FinishedAttempt[]> {
    const messages = await this.messagesOf(organizationId, deliveries);
    const finished: FinishedAttempt[] = [];
    let isStopped = false;
    const attempt = async (delivery: DueDelivery, message: Message) => {
      if (isStopped || shutdown.stopping.aborted) return;
      const result = await traced(
        'webhook attempt',
        attributesOf(delivery, message),
        async (add) => {
          const sent = await this.sender.send({ url, secrets }, message, shutdown.aborting);
          add({ 'http.response.status_code': sent.statusCode ?? 0 });
          return sent;
        },
      );
      if (shutdown.aborting.aborted && result.statusCode === null) return;
      const now = this.clock.now();
      const outcome = outcomeOf(result, delivery.attempts, now, Math.random());
      finished.push({ delivery, url, result, outcome, now });
      this.statistics.count(_id, isSuccess(result));
      isStopped ||= !isSuccess(result);
    };
    const pool = new PQueue({ concurrency: this.slots.perEndpoint(latencyClass) });
    await pool.addAll(
      deliveries.map((delivery, index) => async () => {
        const message = messages.get(delivery.eventId.toHexString());
        if (message === undefined || isStopped) return;
        await this.slots.attempt(latencyClass, index, () => attempt(delivery, message));
      }),
    );
    return finished;
  }

  /** The messages of deliveries, by their events; a delivery whose event has expired fails. */
  private async messagesOf(
    organizationId: Types.ObjectId,
    deliveries: readonly DueDelivery[],
  ): Promise<ReadonlyMap<string, Message>> {
    const ids = deliveries.map(({ eventId }) => eventId);
    const events = await this.events.findWhole(organizationId, ids);
    const messages = new Map(events.map((event) => [event._id.toHexString(), messageOf(event)]));
    for (const { eventId, body } of deliveries) {
      // A test event, which may be replayed.
      if (body) messages.set(eventId.toHexString(), { id: messageIdOf(eventId), body });
    }
    const expired = deliveries.filter(({ eventId }) => !messages.has(eventId.toHexString()));
    if (expired.length > 0) {
      const expiredIds = expired.map(({ _id }) => _id);
      await this.queue.fail(expiredIds, 'event expired', this.clock.now());
    }
    return messages;
  }
}

function attributesOf({ type, endpointId, attempts }: DueDelivery, { id }: Message) {
  return {
    'webhook.id': id,
    'webhook.type': type,
    'webhook.endpoint_id': endpointId.toHexString(),
    'webhook.attempt': attempts + 1,
  };
}
