import { Module } from '@nestjs/common';
import { EventsModule } from '../../events/events.module.js';
import { LeadsModule } from '../../leads/leads.module.js';
import { ReservationsModule } from '../../reservations/reservations.module.js';
import { TenantsModule } from '../../tenants/tenants.module.js';
import { UnitsModule } from '../../units/units.module.js';
import { WebhooksModule } from '../../webhooks/webhooks.module.js';
import { OperatorDataModule } from '../operator-data.module.js';
import { OperatorConsole } from './console.js';
import { LoginRateLimiter } from './login-rate-limiter.js';
import { PageServices } from './page-services.js';

@Module({
  imports: [
    EventsModule,
    LeadsModule,
    OperatorDataModule,
    ReservationsModule,
    TenantsModule,
    UnitsModule,
    WebhooksModule,
  ],
  providers: [OperatorConsole, LoginRateLimiter, PageServices],
  exports: [OperatorConsole],
})
export class ConsoleModule {}
