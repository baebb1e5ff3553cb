import { Module } from '@nestjs/common';
import { CatalogueModule } from '../catalogue/catalogue.module.js';
import { UnitReservationsModule } from '../reservations/unit-reservations.module.js';
import { EventsModule } from '../events/events.module.js';
import { IdempotencyModule } from '../core/idempotency/idempotency.module.js';
import { UnitWritesService } from './writing/unit-writes.service.js';
import { UnitFiltersService } from './reading/unit-filters.service.js';
import { UnitsController } from './units.controller.js';
import { UnitWorkingSetLoader } from './writing/unit-working-set.loader.js';
import { UnitUpsertsService } from './writing/unit-upserts.service.js';
import { UnitsRepository } from './units.repository.js';
import { UnitsService } from './reading/units.service.js';
import { UnitEventVisibility } from './reading/unit-event-visibility.js';
import { UnitPresenter } from './unit.presenter.js';
import { UnitLookupService } from './reading/unit-lookup.service.js';

@Module({
  imports: [CatalogueModule, IdempotencyModule, UnitReservationsModule, EventsModule],
  controllers: [UnitsController],
  providers: [
    UnitsRepository,
    UnitPresenter,
    UnitFiltersService,
    UnitsService,
    UnitWorkingSetLoader,
    UnitUpsertsService,
    UnitWritesService,
    UnitLookupService,
    UnitEventVisibility,
  ],
  exports: [UnitsService, UnitLookupService, UnitWritesService, UnitEventVisibility],
})
export class UnitsModule {}
