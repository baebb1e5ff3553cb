import { Module } from '@nestjs/common';
import { LoginTries } from './access/login-tries.js';
import { Console, CONSOLE_PAGES } from './console.js';
import { FiguresModule } from '../figures/figures.module.js';
import { WebhooksModule } from '../webhooks/webhooks.module.js';
import { CatalogueImportModule } from '../catalogue/import/catalogue-import.module.js';
import { CataloguePage } from './pages/catalogue/catalogue.page.js';
import { OverviewPage } from './pages/overview/overview.page.js';
import { SystemStateService } from './pages/overview/system-state.service.js';
import { PartnerPage } from './pages/partners/partner.page.js';
import { PartnersPage } from './pages/partners/partners.page.js';
import type { ConsolePage } from './pages/page.js';

/** All pages, in the order of the menu. */
const pages = [OverviewPage, PartnersPage, PartnerPage, CataloguePage];

/** The operator's web pages (rule OPS-30). */
@Module({
  imports: [CatalogueImportModule, FiguresModule, WebhooksModule],
  providers: [
    Console,
    LoginTries,
    SystemStateService,
    ...pages,
    { provide: CONSOLE_PAGES, inject: pages, useFactory: (...made: ConsolePage[]) => made },
  ],
  exports: [Console],
})
export class ConsoleModule {}
