import { Injectable } from '@nestjs/common';
import { ApiKeysService } from '../../../../tenants/keys/api-keys.service.js';
import { LeadLookupService } from '../../../../leads/lead-lookup.service.js';
import { OrganizationsRepository } from '../../../../tenants/organizations/organizations.repository.js';
import { ReservationsService } from '../../../../reservations/reading/reservations.service.js';
import { WebhookEndpointsService } from '../../../../webhooks/endpoints/webhook-endpoints.service.js';
import { WebhookDeliveriesService } from '../../../../webhooks/deliveries/webhook-deliveries.service.js';
import { EventHistoryService } from '../../../../events/outbox/event-history.service.js';
import type { ConsolePage, PageContent, PageRequest } from '../page.js';
import { keysetRequestOf } from '../shared/parts.js';
import { OperatorActions } from '../shared/operator-actions.js';
import { type Subject, subjectOf } from '../shared/organizations.js';
import { LeadView, maxDeliveries } from './lead-view.js';

const changesPerPage = 20;
const eventsPerPage = 20;
const maxOtherLeads = 20;
const maxReservations = 10;

/** A lead with its changes and events: answers "our leads do not arrive". */
@Injectable()
export class LeadPage implements ConsolePage {
  readonly path = '/leads/:organization/:id';
  readonly title = 'shared.lead';
  readonly isInMenu = false;
  readonly actions = [
    { path: `${this.path}/show`, run: (request: PageRequest) => this.show(request) },
  ];

  constructor(
    private readonly organizations: OrganizationsRepository,
    private readonly operator: OperatorActions,
    private readonly leads: LeadLookupService,
    private readonly keys: ApiKeysService,
    private readonly events: EventHistoryService,
    private readonly deliveries: WebhookDeliveriesService,
    private readonly endpoints: WebhookEndpointsService,
    private readonly reservations: ReservationsService,
  ) {}

  async read(request: PageRequest): Promise<PageContent | null> {
    const subject = await subjectOf(this.organizations, request);
    return subject && this.contentOf(request, subject, false);
  }

  private async show(request: PageRequest): Promise<PageContent | null> {
    const subject = await subjectOf(this.organizations, request);
    const content = subject && (await this.contentOf(request, subject, true));
    if (subject === null || content === null) return null;
    await this.operator.logDisclosure(request, {
      organizationId: subject.organization._id,
      subject: 'lead',
      subjectId: subject.id.toHexString(),
    });
    return content;
  }

  private async contentOf(
    request: PageRequest,
    { organization, id }: Subject,
    isShown: boolean,
  ): Promise<PageContent | null> {
    const { _id: organizationId } = organization;
    const inspected = await this.leads.inspect(organization, id, maxOtherLeads);
    if (inspected === null) return null;
    const [changes, events, reservations, keys] = await Promise.all([
      this.leads.history(organizationId, id, keysetRequestOf(request, 'changes', changesPerPage)),
      this.events.about(
        organizationId,
        [id.toHexString()],
        keysetRequestOf(request, 'events', eventsPerPage),
      ),
      this.reservations.list(organizationId, { leadId: id }, { limit: maxReservations }),
      this.keys.list(organizationId),
    ]);
    const [endpoints, outcome, ...deliveries] = await Promise.all([
      this.endpoints.list(organizationId),
      this.operator.outcome(request, organizationId),
      ...events.items.map(({ _id }) =>
        this.deliveries.listPage(organizationId, { eventIds: [_id] }, { limit: maxDeliveries + 1 }),
      ),
    ]);
    const { notice, ...refresh } = outcome;
    const receivers = { endpoints, deliveries: deliveries.flatMap(({ items }) => items), notice };
    const shown = { ...receivers, organization, inspected, changes, events, reservations, keys };
    return {
      ...refresh,
      heading: request.text('lead.heading', { number: inspected.lead.leadId }),
      body: <LeadView isShown={isShown} {...shown} />,
    };
  }
}
