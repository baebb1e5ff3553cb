import { Module } from '@nestjs/common';
import { CatalogueModule } from '../catalogue/catalogue.module.js';
import { AvailabilityModule } from '../availability/availability.module.js';
import { EventsModule } from '../events/events.module.js';
import { WritesModule } from '../core/writes/writes.module.js';
import { UnitWritesService } from './writing/unit-writes.service.js';
import { UnitFilters } from './reading/unit-filters.js';
import { UnitsController } from './units.controller.js';
import { UnitImportsService } from './writing/unit-imports.service.js';
import { UnitUpsertsService } from './writing/unit-upserts.service.js';
import { UnitsService } from './reading/units.service.js';
import { UnitPresenter } from './unit.presenter.js';
import { UnitLookupService } from './reading/unit-lookup.service.js';
import { UnitsRepository } from './units.repository.js';

@Module({
  imports: [CatalogueModule, WritesModule, AvailabilityModule, EventsModule],
  controllers: [UnitsController],
  providers: [
    UnitsRepository,
    UnitPresenter,
    UnitFilters,
    UnitsService,
    UnitUpsertsService,
    UnitImportsService,
    UnitWritesService,
    UnitLookupService,
  ],
  exports: [UnitLookupService, UnitWritesService, UnitImportsService],
})
export class UnitsModule {}
