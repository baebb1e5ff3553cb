import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { EventFeedService } from './feed/event-feed.service.js';
import { LongPollWaiters } from './feed/long-poll-waiters.js';
import { EventsController } from './feed/events.controller.js';
import { EventFeedsRepository } from './outbox/event-feeds.repository.js';
import { EventSignals } from './outbox/event-signals.js';
import { eventFeedSchema, outboxEventSchema } from './outbox/outbox-event.schema.js';
import { OutboxEventsRepository } from './outbox/outbox-events.repository.js';
import { Outbox } from './outbox/outbox.js';

@Module({
  imports: [
    MongooseModule.forFeature([
      { name: 'OutboxEvent', schema: outboxEventSchema },
      { name: 'EventFeed', schema: eventFeedSchema },
    ]),
  ],
  controllers: [EventsController],
  providers: [
    Outbox,
    OutboxEventsRepository,
    EventFeedsRepository,
    EventFeedService,
    EventSignals,
    LongPollWaiters,
  ],
  exports: [Outbox, OutboxEventsRepository, EventFeedsRepository, EventSignals, LongPollWaiters],
})
export class EventsModule {}
