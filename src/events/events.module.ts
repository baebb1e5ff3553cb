import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { LongPollWaiters } from './feed/long-poll-waiters.js';
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
  providers: [Outbox, OutboxEventsRepository, EventFeedsRepository, EventSignals, LongPollWaiters],
  exports: [Outbox, OutboxEventsRepository, EventFeedsRepository, EventSignals, LongPollWaiters],
})
export class EventsModule {}
