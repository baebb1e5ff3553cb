import { Module } from '@nestjs/common';
import { LoginTries } from './access/login-tries.js';
import { Console, CONSOLE_PAGES } from './console.js';
import { OverviewPage } from './pages/overview/overview.page.js';
import type { ConsolePage } from './pages/page.js';

/** All pages, in the order of the menu. */
const pages = [OverviewPage];

/** The operator's web pages (rule OPS-30). */
@Module({
  imports: [],
  providers: [
    Console,
    LoginTries,
    ...pages,
    { provide: CONSOLE_PAGES, inject: pages, useFactory: (...made: ConsolePage[]) => made },
  ],
  exports: [Console],
})
export class ConsoleModule {}
