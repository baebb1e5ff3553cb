import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { changeLogSchema } from './change-log.schema.js';
import { ChangeLog } from './change-log.js';

/** The change log. */
@Module({
  imports: [MongooseModule.forFeature([{ name: 'ChangeLog', schema: changeLogSchema }])],
  providers: [ChangeLog],
  exports: [ChangeLog],
})
export class ChangeLogModule {}
