import { Module } from '@nestjs/common';
import { IdempotencyModule } from '../idempotency/idempotency.module.js';
import { GroupCommits } from './group-commit.js';

@Module({
  imports: [IdempotencyModule],
  providers: [GroupCommits],
  exports: [GroupCommits, IdempotencyModule],
})
export class WritesModule {}
