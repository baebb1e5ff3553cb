import { Injectable } from '@nestjs/common';
import { parseObjectId } from '../../../../core/database/documents/tenant-document.js';
import { WebhookDeliveriesService } from '../../../../webhooks/deliveries/webhook-deliveries.service.js';
import { WebhookEndpointsService } from '../../../../webhooks/endpoints/webhook-endpoints.service.js';
import type { ConsolePage, PageContent, PageRequest, Redirect } from '../page.js';
import { maskedUrl } from '../shared/masking.js';
import { OperatorActions } from '../shared/operator-actions.js';
import { DeliveryView } from './delivery-view.js';

@Injectable()
export class DeliveryPage implements ConsolePage {
  readonly path = '/webhooks/deliveries/:id';
  readonly title = 'delivery.title';
  readonly isInMenu = false;
  readonly actions = [
    { path: `${this.path}/show`, run: (request: PageRequest) => this.show(request) },
    { path: `${this.path}/replay`, run: (request: PageRequest) => this.replay(request) },
  ] as const;

  constructor(
    private readonly endpoints: WebhookEndpointsService,
    private readonly deliveries: WebhookDeliveriesService,
    private readonly operator: OperatorActions,
  ) {}

  async read(request: PageRequest): Promise<PageContent | null> {
    const delivery = await this.deliveryOf(request);
    return delivery === null ? null : this.contentOf(request, delivery, false);
  }

  private async show(request: PageRequest): Promise<PageContent | null> {
    const delivery = await this.deliveryOf(request);
    if (delivery === null) return null;
    const { organizationId, _id } = delivery;
    const subject = { subject: 'delivery', subjectId: _id.toHexString() } as const;
    await this.operator.logDisclosure(request, { organizationId, ...subject });
    return this.contentOf(request, delivery, true);
  }

  private async replay(request: PageRequest): Promise<PageContent | Redirect | null> {
    const delivery = await this.deliveryOf(request);
    if (delivery === null) return null;
    const endpoint = await this.endpoints.find(delivery.endpointId);
    if (endpoint?.isEnabled !== true) {
      const problem = <p class="problem">{request.text('endpoint.mustBeEnabled')}</p>;
      return { status: 422, body: problem };
    }
    const { _id, organizationId } = delivery;
    return this.operator.perform(request, {
      question: request.text('confirm.replayDelivery', { url: maskedUrl(endpoint.url) }),
      path: `/webhooks/deliveries/${_id.toHexString()}`,
      organizationId,
      action: 'replay',
      subject: 'delivery',
      subjectId: _id.toHexString(),
      details: null,
      work: () => this.deliveries.replay(endpoint, { _id }),
    });
  }

  private async contentOf(
    request: PageRequest,
    delivery: NonNullable<Awaited<ReturnType<WebhookDeliveriesService['find']>>>,
    isShown: boolean,
  ): Promise<PageContent> {
    const endpoint = await this.endpoints.show(delivery.endpointId);
    const { notice, ...refresh } = await this.operator.outcome(request, delivery.organizationId);
    const shown = { delivery, endpoint: endpoint?.shown ?? null, isShown, notice };
    return {
      ...refresh,
      heading: request.text('delivery.heading', { id: delivery._id.toHexString() }),
      body: <DeliveryView {...shown} />,
    };
  }

  private async deliveryOf({ params }: PageRequest) {
    const id = parseObjectId(params['id'] ?? '');
    return id === null ? null : this.deliveries.find(id);
  }
}
