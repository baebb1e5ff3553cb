import { Module } from '@nestjs/common';
import { EventFeedChanges } from '../webhooks/outbox/event-feed-changes.js';
import { WebhooksModule } from '../webhooks/webhooks.module.js';
import { EventWaiters } from './event-waiters.js';
import { EventsController } from './events.controller.js';
import { EventsService } from './events.service.js';

/** How many requests may wait for events in a process. */
const mostWaiting = 5_000;

/** The events of an organization, for those who ask instead of being told. */
@Module({
  imports: [WebhooksModule],
  controllers: [EventsController],
  providers: [
    EventsService,
    {
      provide: EventWaiters,
      inject: [EventFeedChanges],
      useFactory: (changes: EventFeedChanges) => new EventWaiters(changes, mostWaiting),
    },
  ],
  exports: [EventWaiters],
})
export class EventsModule {}
