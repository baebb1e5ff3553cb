import type { ConsolePage } from '../page.js';
import { leadPage } from './lead.page.js';
import { operatorLogPage } from './operator-log.page.js';
import { overviewPage } from './overview/overview.page.js';
import { partnerPage } from './partners/partner.page.js';
import { partnersPage } from './partners/partners.page.js';
import { reservationPage } from './reservations/reservation.page.js';
import { searchPage } from './search/search.page.js';
import { unitPage } from './unit.page.js';
import { deliveryPage } from './webhooks/delivery.page.js';
import { endpointPage } from './webhooks/endpoint.page.js';
import { webhooksPage } from './webhooks/webhooks.page.js';

/** The menu shows its pages in this order. */
export const pages: readonly ConsolePage[] = [
  overviewPage,
  partnersPage,
  partnerPage,
  webhooksPage,
  endpointPage,
  deliveryPage,
  searchPage,
  leadPage,
  reservationPage,
  unitPage,
  operatorLogPage,
];
