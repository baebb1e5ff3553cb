import { Injectable } from '@nestjs/common';
import { ApiKeysService } from '../../../../tenants/keys/api-keys.service.js';
import { LeadInspectionService } from '../../../../leads/inspection/lead-inspection.service.js';
import { OperatorLogService } from '../../../audit/operator-log.service.js';
import { OrganizationDirectoryService } from '../../../../tenants/organizations/organization-directory.service.js';
import { ReservationHistoryService } from '../../../../reservations/reading/reservation-history.service.js';
import { WebhookDeliveriesService } from '../../../../webhooks/deliveries/webhook-deliveries.service.js';
import { EventHistoryService } from '../../../../events/outbox/event-history.service.js';
import type { PageContent, PageRequest } from '../page.js';
import { partOf } from '../shared/parts.js';
import { type Subject, SubjectPage } from '../shared/subject-page.js';
import { LeadView } from './lead-view.js';

const changesOnPage = 20;
const eventsOnPage = 20;
const mostDeliveries = 200;
const mostOthers = 20;
const mostReservations = 10;

/** All that is known of a lead: "our leads do not arrive" is answered here. */
@Injectable()
export class LeadPage extends SubjectPage {
  constructor(
    directory: OrganizationDirectoryService,
    log: OperatorLogService,
    private readonly leads: LeadInspectionService,
    private readonly keys: ApiKeysService,
    private readonly events: EventHistoryService,
    private readonly deliveries: WebhookDeliveriesService,
    private readonly reservations: ReservationHistoryService,
  ) {
    super('lead', directory, log);
  }

  protected async contentOf(
    request: PageRequest,
    { organization, id }: Subject,
    isShown: boolean,
  ): Promise<PageContent | null> {
    const { _id: organizationId } = organization;
    const inspected = await this.leads.inspect(organization, id, mostOthers);
    if (inspected === null) return null;
    const [changes, events, reservations, keys] = await Promise.all([
      this.leads.history(organizationId, id, partOf(request, 'changes', changesOnPage)),
      this.events.about(
        organizationId,
        [id.toHexString()],
        partOf(request, 'events', eventsOnPage),
      ),
      this.reservations.ofLeads(organizationId, [id], { limit: mostReservations }),
      this.keys.list(organizationId),
    ]);
    const eventIds = events.items.map(({ _id }) => _id);
    const deliveries = await this.deliveries.ofEvents(organizationId, eventIds, mostDeliveries);
    const shown = { organization, inspected, changes, events, deliveries, reservations, keys };
    return {
      heading: request.text('lead.heading', { number: inspected.lead.leadId }),
      body: <LeadView request={request} isShown={isShown} {...shown} />,
    };
  }
}
