import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { outboxEventSchema } from './outbox-event.schema.js';
import { Outbox } from './outbox.js';

/** Outbound webhooks: the outbox that the features write to. */
@Module({
  imports: [MongooseModule.forFeature([{ name: 'OutboxEvent', schema: outboxEventSchema }])],
  providers: [Outbox],
  exports: [Outbox],
})
export class WebhooksModule {}
