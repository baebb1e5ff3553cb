import { Module } from '@nestjs/common';
import { EventsModule } from '../../events/events.module.js';
import { LeadsModule } from '../../leads/leads.module.js';
import { ReservationsModule } from '../../reservations/reservations.module.js';
import { TenantsModule } from '../../tenants/tenants.module.js';
import { UnitsModule } from '../../units/units.module.js';
import { CatalogueImportModule } from '../catalogue-import/catalogue-import.module.js';
import { SandboxEmptyingService } from './sandbox-emptying.service.js';
import { SandboxFillingService } from './sandbox-filling.service.js';
import { SandboxRecordsRepository } from './sandbox-records.repository.js';
import { SandboxesService } from './sandboxes.service.js';

@Module({
  imports: [
    TenantsModule,
    LeadsModule,
    UnitsModule,
    ReservationsModule,
    EventsModule,
    CatalogueImportModule,
  ],
  providers: [
    SandboxRecordsRepository,
    SandboxEmptyingService,
    SandboxFillingService,
    SandboxesService,
  ],
  exports: [SandboxesService],
})
export class SandboxModule {}
