import { Module } from '@nestjs/common';
import { CatalogueModule } from '../catalogue/catalogue.module.js';
import { CompoundsModule } from '../compounds/compounds.module.js';
import { WebhooksModule } from '../webhooks/webhooks.module.js';
import { HttpModule } from '../http/http.module.js';
import { UnitAvailabilityService } from './writing/unit-availability.service.js';
import { CompoundUnitsController } from './reading/compound-units.controller.js';
import { UnitExportsService } from './reading/unit-exports.service.js';
import { UnitFiltersService } from './reading/unit-filters.service.js';
import { UnitNamesService } from './writing/unit-names.service.js';
import { UnitsController } from './units.controller.js';
import { UnitLinksService } from './writing/unit-links.service.js';
import { UnitUpsertsService } from './writing/unit-upserts.service.js';
import { UnitsService } from './reading/units.service.js';
import { UnitEventsService } from './writing/unit-events.service.js';
import { UnitPresentationService } from './reading/unit-presentation.service.js';
import { UnitLookupService } from './reading/unit-lookup.service.js';
import { UnitsRepository } from './units.repository.js';

/** Units. */
@Module({
  imports: [CatalogueModule, CompoundsModule, HttpModule, WebhooksModule],
  controllers: [CompoundUnitsController, UnitsController],
  providers: [
    UnitsRepository,
    UnitNamesService,
    UnitFiltersService,
    UnitExportsService,
    UnitsService,
    UnitLinksService,
    UnitUpsertsService,
    UnitPresentationService,
    UnitEventsService,
    UnitAvailabilityService,
    UnitLookupService,
  ],
  exports: [UnitLookupService, UnitAvailabilityService, UnitEventsService, UnitPresentationService],
})
export class UnitsModule {}
