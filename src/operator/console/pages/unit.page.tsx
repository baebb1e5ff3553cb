import { Injectable } from '@nestjs/common';
import { OrganizationsRepository } from '../../../tenants/organizations/organizations.repository.js';
import { ReservationHistoryService } from '../../../reservations/reading/reservation-history.service.js';
import { ReservationsService } from '../../../reservations/reading/reservations.service.js';
import { UnitLookupService } from '../../../units/reading/unit-lookup.service.js';
import { reservationListFields } from '../../views/reservation.js';
import { unitChangeFields, unitFields } from '../../views/unit.js';
import type { ConsolePage, PageContent, PageRequest } from './page.js';
import { FieldList, FieldTable } from './shared/fields.js';
import { Card, keysetRequestOf } from './shared/parts.js';
import { subjectOf } from './shared/organizations.js';

const reservationsPerPage = 25;

@Injectable()
export class UnitPage implements ConsolePage {
  readonly path = '/units/:organization/:id';
  readonly title = 'shared.unit';
  readonly isInMenu = false;

  constructor(
    private readonly organizations: OrganizationsRepository,
    private readonly units: UnitLookupService,
    private readonly reservations: ReservationsService,
    private readonly history: ReservationHistoryService,
  ) {}

  async read(request: PageRequest): Promise<PageContent | null> {
    const { text } = request;
    const subject = await subjectOf(this.organizations, request);
    if (subject === null) return null;
    const { organization, id } = subject;
    const { _id: organizationId } = organization;
    const unit = await this.units.inspect(organizationId, id);
    if (unit === null) return null;
    const part = keysetRequestOf(request, 'reservations', reservationsPerPage);
    const reservations = await this.reservations.list(organizationId, { unitId: id }, part);
    const changes = await this.history.unitChanges(organizationId, id);
    const reader = { organizationId: organizationId.toHexString() };
    const body = (
      <>
        <Card title={text('shared.now')}>
          <FieldList
            {...reader}
            fields={[
              { title: 'shared.organization', show: () => organization.name },
              ...unitFields,
            ]}
            item={unit}
          />
        </Card>
        <FieldTable
          {...reader}
          title={text('shared.reservations')}
          caption={text('unit.reservationsCaption')}
          fields={reservationListFields.filter(({ record }) => record !== 'units')}
          part="reservations"
          {...reservations}
        />
        <FieldTable
          {...reader}
          title={text('unit.changes')}
          caption={text('unit.changesCaption')}
          fields={unitChangeFields}
          items={changes}
        />
      </>
    );
    return { heading: text('unit.heading', { name: unit.unitId ?? unit.slug ?? unit._id }), body };
  }
}
