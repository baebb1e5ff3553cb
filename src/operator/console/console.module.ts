import { Module } from '@nestjs/common';
import { EventsModule } from '../../events/events.module.js';
import { LeadsModule } from '../../leads/leads.module.js';
import { ReservationsModule } from '../../reservations/reservations.module.js';
import { TenantsModule } from '../../tenants/tenants.module.js';
import { UnitsModule } from '../../units/units.module.js';
import { WebhooksModule } from '../../webhooks/webhooks.module.js';
import { CatalogueImportModule } from '../catalogue-import/catalogue-import.module.js';
import { OperatorDataModule } from '../operator-data.module.js';
import { LoginRateLimiter } from './access/login-rate-limiter.js';
import { Console } from './console.js';
import { PageServices } from './pages/services.js';

@Module({
  imports: [
    CatalogueImportModule,
    EventsModule,
    LeadsModule,
    OperatorDataModule,
    ReservationsModule,
    TenantsModule,
    UnitsModule,
    WebhooksModule,
  ],
  providers: [Console, LoginRateLimiter, PageServices],
  exports: [Console],
})
export class ConsoleModule {}
