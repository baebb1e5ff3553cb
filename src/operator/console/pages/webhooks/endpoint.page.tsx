import { Injectable } from '@nestjs/common';
import { parseObjectId } from '../../../../core/database/documents/tenant-document.js';
import { OrganizationsRepository } from '../../../../tenants/organizations/organizations.repository.js';
import { WebhookDeliveriesService } from '../../../../webhooks/deliveries/webhook-deliveries.service.js';
import { WebhookEndpointsService } from '../../../../webhooks/endpoints/webhook-endpoints.service.js';
import { FailingEndpointsService } from '../../../../webhooks/statistics/failing-endpoints.service.js';
import { WebhookStatisticsService } from '../../../../webhooks/statistics/webhook-statistics.service.js';
import type { ConsolePage, PageContent, PageRequest, Redirect } from '../page.js';
import { maskedUrl } from '../shared/masking.js';
import { OperatorActions } from '../shared/operator-actions.js';
import { keysetRequestOf } from '../shared/parts.js';
import { EndpointView } from './endpoint-view.js';
import { readReplay } from './replay.js';

const deliveriesPerPage = 25;
/** Pending deliveries are counted up to this. */
const maxWaiting = 10_000;

@Injectable()
export class EndpointPage implements ConsolePage {
  readonly path = '/webhooks/:id';
  readonly title = 'endpoint.title';
  readonly isInMenu = false;
  readonly actions = [
    { path: `${this.path}/enable`, run: (request: PageRequest) => this.enable(request) },
    { path: `${this.path}/replay`, run: (request: PageRequest) => this.replay(request) },
  ] as const;

  constructor(
    private readonly organizations: OrganizationsRepository,
    private readonly endpoints: WebhookEndpointsService,
    private readonly deliveries: WebhookDeliveriesService,
    private readonly statistics: WebhookStatisticsService,
    private readonly failing: FailingEndpointsService,
    private readonly operator: OperatorActions,
  ) {}

  async read(request: PageRequest): Promise<PageContent | null> {
    const endpoint = await this.endpointOf(request);
    if (endpoint === null) return null;
    const isFailed = request.query['status'] === 'failed';
    const filter = {
      endpointId: endpoint.document._id,
      ...(isFailed && { status: 'failed' as const }),
    };
    const { organizationId } = endpoint.document;
    const part = keysetRequestOf(request, 'deliveries', deliveriesPerPage);
    const [deliveries, pending, statistics, health, organization, outcome] = await Promise.all([
      this.deliveries.listPage(organizationId, filter, part),
      this.deliveries.countWaiting(endpoint.document._id, maxWaiting),
      this.statistics.lastDay([endpoint.shown]),
      this.failing.health(endpoint.shown),
      this.organizations.findByHexId(endpoint.shown.organizationId),
      this.operator.outcome(request, organizationId),
    ]);
    const { notice, ...refresh } = outcome;
    const shown = {
      notice,
      health,
      hasMore: pending === maxWaiting,
      endpoint: endpoint.shown,
      organizationName: organization?.name,
      deliveries,
      pending,
      isFailed,
      statistics: statistics.get(endpoint.shown._id),
    };
    return {
      ...refresh,
      heading: request.text('endpoint.heading', { id: endpoint.shown._id }),
      body: <EndpointView {...shown} />,
    };
  }

  private async enable(request: PageRequest): Promise<PageContent | Redirect | null> {
    const endpoint = await this.endpointOf(request);
    if (endpoint === null || endpoint.document.removedAt) return null;
    const { document } = endpoint;
    return this.operator.perform(request, {
      ...subjectOf(document),
      question: request.text('confirm.enable', { url: maskedUrl(document.url) }),
      action: 'enable',
      details: null,
      work: async () => {
        await this.endpoints.enable(document._id);
        return null;
      },
    });
  }

  private async replay(request: PageRequest): Promise<PageContent | Redirect | null> {
    const endpoint = await this.endpointOf(request);
    if (endpoint === null || endpoint.document.removedAt) return null;
    const { document, shown } = endpoint;
    if (!shown.isEnabled) return this.noticeOf(request, 'endpoint.mustBeEnabled');
    const replay = readReplay(request.form);
    if (replay === null) return this.noticeOf(request, 'confirm.wrongTime');
    const { filter, fields, text: what } = replay;
    const wanted = { ...filter, endpointId: document._id };
    // A confirmed form that is sent again has nothing left to replay, and shows its outcome.
    const isAsked = request.form['formId'] !== undefined;
    const count = isAsked ? null : await this.deliveries.count(document.organizationId, wanted);
    if (count === 0) return this.noticeOf(request, 'confirm.nothing');
    const asked = { count: count ?? '', what, url: maskedUrl(document.url) };
    return this.operator.perform(request, {
      ...subjectOf(document),
      question: request.text('confirm.replayMany', asked),
      fields,
      action: 'replay',
      details: what,
      work: () => this.deliveries.replay(document, filter),
    });
  }

  private noticeOf(
    { text }: PageRequest,
    key: 'endpoint.mustBeEnabled' | 'confirm.wrongTime' | 'confirm.nothing',
  ): PageContent {
    return { status: 422, body: <p class="problem">{text(key)}</p> };
  }

  private async endpointOf({ params }: PageRequest) {
    const id = parseObjectId(params['id'] ?? '');
    return id === null ? null : this.endpoints.show(id);
  }
}

type EndpointDocument = NonNullable<
  Awaited<ReturnType<WebhookEndpointsService['show']>>
>['document'];

function subjectOf({ _id, organizationId }: EndpointDocument) {
  const subjectId = _id.toHexString();
  const path = `/webhooks/${subjectId}`;
  return { organizationId, subject: 'endpoint', subjectId, path } as const;
}
