import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { idempotencyRecordSchema } from './idempotency-record.schema.js';
import { IdempotencyRecordsRepository } from './idempotency-records.repository.js';
import { IdempotencyService } from './idempotency.service.js';

@Module({
  imports: [
    MongooseModule.forFeature([{ name: 'IdempotencyRecord', schema: idempotencyRecordSchema }]),
  ],
  providers: [IdempotencyRecordsRepository, IdempotencyService],
  exports: [IdempotencyService],
})
export class IdempotencyModule {}
