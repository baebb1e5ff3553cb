import { Injectable } from '@nestjs/common';
import { ApiKeysService } from '../../../../tenants/keys/api-keys.service.js';
import { OrganizationsRepository } from '../../../../tenants/organizations/organizations.repository.js';
import { ReservationHistoryService } from '../../../../reservations/reading/reservation-history.service.js';
import { ReservationsService } from '../../../../reservations/reading/reservations.service.js';
import type { ConsolePage, PageContent, PageRequest } from '../page.js';
import { subjectOf } from '../shared/organizations.js';
import { ReservationView } from './reservation-view.js';

/** A reservation with its callbacks: answers "why was this cheque refused". */
@Injectable()
export class ReservationPage implements ConsolePage {
  readonly path = '/reservations/:organization/:id';
  readonly title = 'shared.reservation';
  readonly isInMenu = false;

  constructor(
    private readonly organizations: OrganizationsRepository,
    private readonly reservations: ReservationsService,
    private readonly history: ReservationHistoryService,
    private readonly keys: ApiKeysService,
  ) {}

  async read(request: PageRequest): Promise<PageContent | null> {
    const subject = await subjectOf(this.organizations, request);
    if (subject === null) return null;
    const { organization, id } = subject;
    const reservation = await this.reservations.inspect(organization._id, id);
    if (reservation === null) return null;
    const [history, keys] = await Promise.all([
      this.history.historyOf(reservation),
      this.keys.list(organization._id),
    ]);
    const shown = { organization, reservation, history, keys };
    return {
      heading: request.text('reservation.heading', {
        id: reservation.recordSystemId ?? reservation._id,
      }),
      body: <ReservationView {...shown} />,
    };
  }
}
