import { Module } from '@nestjs/common';
import { TenantsModule } from '../../tenants/tenants.module.js';
import { RecordsModule } from '../records.module.js';
import { LeadsModule } from '../../leads/leads.module.js';
import { ReservationsModule } from '../../reservations/reservations.module.js';
import { UnitsModule } from '../../units/units.module.js';
import { EventsModule } from '../../events/events.module.js';
import { WebhooksModule } from '../../webhooks/webhooks.module.js';
import { LoginAttempts } from './access/login-attempts.js';
import { Console, CONSOLE_PAGES } from './console.js';
import { CatalogueImportModule } from '../catalogue-import/catalogue-import.module.js';
import { CataloguePage } from './pages/catalogue.page.js';
import { OverviewPage } from './pages/overview/overview.page.js';
import { LeadPage } from './pages/leads/lead.page.js';
import { OperatorLogPage } from './pages/operator-log.page.js';
import { ReservationPage } from './pages/reservations/reservation.page.js';
import { UnitPage } from './pages/unit.page.js';
import { DeliveryPage } from './pages/webhooks/delivery.page.js';
import { EndpointPage } from './pages/webhooks/endpoint.page.js';
import { EndpointsPage } from './pages/webhooks/endpoints.page.js';
import { OperatorActions } from './pages/shared/operator-actions.js';
import { RecordSearchService } from './pages/search/record-search.service.js';
import { SearchPage } from './pages/search/search.page.js';
import { PartnerPage } from './pages/partners/partner.page.js';
import { PartnersPage } from './pages/partners/partners.page.js';
import type { ConsolePage } from './pages/page.js';

const pages = [
  OverviewPage,
  PartnersPage,
  PartnerPage,
  CataloguePage,
  SearchPage,
  LeadPage,
  ReservationPage,
  UnitPage,
  EndpointsPage,
  EndpointPage,
  DeliveryPage,
  OperatorLogPage,
];

@Module({
  imports: [
    TenantsModule,
    CatalogueImportModule,
    RecordsModule,
    LeadsModule,
    ReservationsModule,
    UnitsModule,
    EventsModule,
    WebhooksModule,
  ],
  providers: [
    Console,
    LoginAttempts,
    RecordSearchService,
    OperatorActions,
    ...pages,
    { provide: CONSOLE_PAGES, inject: pages, useFactory: (...made: ConsolePage[]) => made },
  ],
  exports: [Console],
})
export class ConsoleModule {}
