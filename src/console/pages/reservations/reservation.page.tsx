import { Injectable } from '@nestjs/common';
import { ApiKeysService } from '../../../authentication/api-keys.service.js';
import { parseObjectId } from '../../../database/documents/object-id.js';
import { OperatorLogService } from '../../../operator-log/operator-log.service.js';
import { OrganizationDirectoryService } from '../../../organizations/organization-directory.service.js';
import { ReservationHistoryService } from '../../../reservations/reading/reservation-history.service.js';
import { ReservationInspectionService } from '../../../reservations/reading/reservation-inspection.service.js';
import type { ConsolePage, PageContent, PageRequest } from '../page.js';
import { logShowing } from '../shared/personal-data.js';
import { ReservationView } from './reservation-view.js';

/** All that happened to a reservation: "why was this cheque refused" is answered here. */
@Injectable()
export class ReservationPage implements ConsolePage {
  readonly path = '/reservations/:organization/:id';
  readonly title = 'reservation.title';
  readonly isInMenu = false;
  readonly actions = [
    { path: `${this.path}/show`, run: (request: PageRequest) => this.show(request) },
  ] as const;

  constructor(
    private readonly directory: OrganizationDirectoryService,
    private readonly inspection: ReservationInspectionService,
    private readonly history: ReservationHistoryService,
    private readonly keys: ApiKeysService,
    private readonly log: OperatorLogService,
  ) {}

  async read(request: PageRequest): Promise<PageContent | null> {
    return this.contentOf(request, false);
  }

  private async show(request: PageRequest): Promise<PageContent | null> {
    const { organization, id } = request.params;
    const organizationId = parseObjectId(organization ?? '');
    const content = await this.contentOf(request, true);
    if (organizationId === null || content === null) return null;
    const subject = { subject: 'reservation', subjectId: id ?? '' } as const;
    await logShowing(this.log, request, { organizationId, ...subject });
    return content;
  }

  private async contentOf(request: PageRequest, isShown: boolean): Promise<PageContent | null> {
    const { params, text } = request;
    const organization = await this.directory.find(params['organization'] ?? '');
    const id = parseObjectId(params['id'] ?? '');
    if (organization === null || id === null) return null;
    const reservation = await this.inspection.inspect(id, organization._id);
    if (reservation === null) return null;
    const [history, keys] = await Promise.all([
      this.history.historyOf(reservation),
      this.keys.list(organization._id),
    ]);
    const shown = { organization, reservation, history, keys };
    return {
      heading: text('reservation.heading', { id: reservation.recordSystemId ?? reservation._id }),
      body: <ReservationView request={request} isShown={isShown} {...shown} />,
    };
  }
}
