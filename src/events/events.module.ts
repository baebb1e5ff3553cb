import { Module } from '@nestjs/common';
import { TenantCollectionsModule } from '../core/database/documents/tenant-collections.module.js';
import { EventFeedService } from './feed/event-feed.service.js';
import { LongPollWaiters } from './feed/long-poll-waiters.js';
import { EventsController } from './feed/events.controller.js';
import { EventFeedsRepository } from './outbox/event-feeds.repository.js';
import { EventSignals } from './outbox/event-signals.js';
import { eventFeedSchema, outboxEventSchema } from './outbox/outbox-event.schema.js';
import { EventHistoryService } from './outbox/event-history.service.js';
import { Outbox } from './outbox/outbox.js';

@Module({
  imports: [
    TenantCollectionsModule.forFeature(
      { name: 'OutboxEvent', schema: outboxEventSchema },
      { name: 'EventFeed', schema: eventFeedSchema },
    ),
  ],
  controllers: [EventsController],
  providers: [
    Outbox,
    EventHistoryService,
    EventFeedsRepository,
    EventFeedService,
    EventSignals,
    LongPollWaiters,
  ],
  exports: [
    TenantCollectionsModule,
    Outbox,
    EventHistoryService,
    EventFeedsRepository,
    EventSignals,
    LongPollWaiters,
  ],
})
export class EventsModule {}
