import { Injectable } from '@nestjs/common';
import { ApiKeysService } from '../../../authentication/api-keys.service.js';
import { parseObjectId } from '../../../database/documents/object-id.js';
import { LeadInspectionService } from '../../../leads/inspection/lead-inspection.service.js';
import { OperatorLogService } from '../../../operator-log/operator-log.service.js';
import { OrganizationDirectoryService } from '../../../organizations/organization-directory.service.js';
import { ReservationHistoryService } from '../../../reservations/reading/reservation-history.service.js';
import { WebhookDeliveriesService } from '../../../webhooks/deliveries/webhook-deliveries.service.js';
import { OutboxEventsService } from '../../../webhooks/outbox/outbox-events.service.js';
import type { ConsolePage, PageContent, PageRequest } from '../page.js';
import { partOf } from '../shared/parts.js';
import { logShowing } from '../shared/personal-data.js';
import { LeadView } from './lead-view.js';

const changesOnPage = 20;
const eventsOnPage = 20;
const mostDeliveries = 200;
const mostOthers = 20;
const mostReservations = 10;

/** All that is known of a lead: "our leads do not arrive" is answered here. */
@Injectable()
export class LeadPage implements ConsolePage {
  readonly path = '/leads/:organization/:id';
  readonly title = 'lead.title';
  readonly isInMenu = false;
  readonly actions = [
    { path: `${this.path}/show`, run: (request: PageRequest) => this.show(request) },
  ] as const;

  constructor(
    private readonly directory: OrganizationDirectoryService,
    private readonly leads: LeadInspectionService,
    private readonly keys: ApiKeysService,
    private readonly events: OutboxEventsService,
    private readonly deliveries: WebhookDeliveriesService,
    private readonly reservations: ReservationHistoryService,
    private readonly log: OperatorLogService,
  ) {}

  async read(request: PageRequest): Promise<PageContent | null> {
    return this.contentOf(request, false);
  }

  private async show(request: PageRequest): Promise<PageContent | null> {
    const { organization, id } = request.params;
    const organizationId = parseObjectId(organization ?? '');
    // Nothing is logged of what is not there.
    const content = await this.contentOf(request, true);
    if (organizationId === null || content === null) return null;
    await logShowing(this.log, request, { organizationId, subject: 'lead', subjectId: id ?? '' });
    return content;
  }

  private async contentOf(request: PageRequest, isShown: boolean): Promise<PageContent | null> {
    const { params, text } = request;
    const organization = await this.directory.find(params['organization'] ?? '');
    const id = parseObjectId(params['id'] ?? '');
    if (organization === null || id === null) return null;
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
      heading: text('lead.heading', { number: inspected.lead.leadId }),
      body: <LeadView request={request} isShown={isShown} {...shown} />,
    };
  }
}
