import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { EventsModule } from '../events/events.module.js';
import { TenantsModule } from '../tenants/tenants.module.js';
import { consoleSessionSchema } from './console-sessions/console-session.schema.js';
import { ConsoleSessionsRepository } from './console-sessions/console-sessions.repository.js';
import { ConsoleSessionsService } from './console-sessions/console-sessions.service.js';
import { operatorLogSchema } from './operator-log/operator-log.schema.js';
import { OperatorLogRepository } from './operator-log/operator-log.repository.js';
import { OperatorLogService } from './operator-log/operator-log.service.js';
import { RequestLogRepository } from './request-log/request-log.repository.js';
import { requestLogSchema } from './request-log/request-log.schema.js';
import { RequestLogService } from './request-log/request-log.service.js';
import { RequestRecorder } from './request-log/request-recorder.js';
import { KeyActivityRepository } from './usage/key-activity.repository.js';
import { keyActivitySchema } from './usage/key-activity.schema.js';
import { KeyActivityService } from './usage/key-activity.service.js';
import { PartnersService } from './usage/partners.service.js';
import { UsageRecorder } from './usage/usage-recorder.js';
import { UsageRepository } from './usage/usage.repository.js';
import { usageSchema } from './usage/usage.schema.js';
import { UsageService } from './usage/usage.service.js';

const services = [
  UsageRecorder,
  UsageService,
  KeyActivityService,
  PartnersService,
  RequestRecorder,
  RequestLogService,
  OperatorLogService,
  ConsoleSessionsService,
];

@Module({
  imports: [
    MongooseModule.forFeature([
      { name: 'Usage', schema: usageSchema },
      { name: 'KeyActivity', schema: keyActivitySchema },
      { name: 'RequestLog', schema: requestLogSchema },
      { name: 'OperatorLog', schema: operatorLogSchema },
      { name: 'ConsoleSession', schema: consoleSessionSchema },
    ]),
    EventsModule,
    TenantsModule,
  ],
  providers: [
    ...services,
    UsageRepository,
    KeyActivityRepository,
    RequestLogRepository,
    OperatorLogRepository,
    ConsoleSessionsRepository,
  ],
  exports: services,
})
export class OperatorDataModule {}
