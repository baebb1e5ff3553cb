import { Injectable } from '@nestjs/common';
import type { ConsolePage, PageContent, PageRequest } from '../page.js';

/** Whether all is well: calls, errors, webhooks, partners and the database. */
@Injectable()
export class OverviewPage implements ConsolePage {
  readonly path = '/';
  readonly title = 'overview.title';
  readonly isInMenu = true;

  async read({ text, formats }: PageRequest): Promise<PageContent> {
    const asOf = text('console.asOf', { time: formats.time(new Date()) });
    return { body: <p class="note">{asOf}</p>, refreshSeconds: 30 };
  }
}
