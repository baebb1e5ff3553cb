import { Injectable } from '@nestjs/common';
import type { KeysetPage } from '../../../../core/database/documents/keyset.js';
import type { Organization } from '../../../../tenants/organizations/organization.js';
import { OrganizationDirectoryService } from '../../../../tenants/organizations/organization-directory.service.js';
import {
  type ListedReservation,
  ReservationHistoryService,
  type UnitStatusChange,
} from '../../../../reservations/reading/reservation-history.service.js';
import {
  type FoundUnit,
  UnitLookupService,
} from '../../../../units/reading/unit-lookup.service.js';
import type { ConsolePage, PageContent, PageRequest } from '../page.js';
import { reservationColumns, reservationRow } from '../reservations/reservation-rows.js';
import {
  Card,
  Change,
  Code,
  DataTable,
  Facts,
  Link,
  Pages,
  partOf,
  When,
} from '../shared/parts.js';
import { subjectOf } from '../shared/subject-page.js';

const reservationsOnPage = 25;

interface ShownUnit {
  readonly request: PageRequest;
  readonly organization: Organization;
  readonly unit: FoundUnit;
  readonly reservations: KeysetPage<ListedReservation>;
  readonly changes: readonly UnitStatusChange[];
}

/** A unit with its reservations over time, and how its status changed. */
@Injectable()
export class UnitPage implements ConsolePage {
  readonly path = '/units/:organization/:id';
  readonly title = 'unit.title';
  readonly isInMenu = false;

  constructor(
    private readonly directory: OrganizationDirectoryService,
    private readonly units: UnitLookupService,
    private readonly history: ReservationHistoryService,
  ) {}

  async read(request: PageRequest): Promise<PageContent | null> {
    const subject = await subjectOf(this.directory, request);
    if (subject === null) return null;
    const { organization, id } = subject;
    const { _id: organizationId } = organization;
    const unit = await this.units.inspect(organizationId, id);
    if (unit === null) return null;
    const part = partOf(request, 'reservations', reservationsOnPage);
    const reservations = await this.history.ofUnit(organizationId, id, part);
    const reservationIds = reservations.items.map(({ _id }) => _id);
    const changes = await this.history.unitChanges(organizationId, id, reservationIds);
    return {
      heading: request.text('unit.heading', { name: unit.unitId ?? unit.slug ?? unit._id }),
      body: <UnitView {...{ request, organization, unit, reservations, changes }} />,
    };
  }
}

function UnitView(shown: ShownUnit) {
  return (
    <>
      <AsItIs {...shown} />
      <Reservations {...shown} />
      <StatusChanges {...shown} />
    </>
  );
}

function AsItIs({ request, organization, unit }: ShownUnit) {
  const { text, formats } = request;
  const status = unit.status ?? '–';
  return (
    <Card title={text('unit.facts')}>
      <Facts
        facts={[
          [text('shared.organization'), organization.name],
          [text('shared.id'), <Code>{unit._id}</Code>],
          [
            text('shared.status'),
            unit.isDeleted ? `${status} (${text('shared.deleted')})` : status,
          ],
          [text('unit.slug'), <Code>{unit.slug ?? '–'}</Code>],
          [text('unit.unitId'), <Code>{unit.unitId ?? '–'}</Code>],
          [text('shared.externalId'), <Code>{unit.recordSystemId ?? '–'}</Code>],
          [text('unit.compound'), <Code>{unit.compoundId ?? '–'}</Code>],
          [text('unit.price'), unit.price === null ? '–' : formats.number(unit.price)],
          [text('shared.created'), <When request={request} time={unit.createdAt} />],
          [text('shared.updated'), <When request={request} time={unit.updatedAt} />],
        ]}
      />
    </Card>
  );
}

function Reservations({ request, organization, reservations }: ShownUnit) {
  const { text } = request;
  const organizationId = organization._id.toHexString();
  return (
    <Card title={text('shared.reservations')}>
      <DataTable
        request={request}
        caption={text('unit.reservationsCaption')}
        columns={reservationColumns(request)}
        rows={reservations.items.map((one) => reservationRow(request, organizationId, one))}
      />
      <Pages
        request={request}
        name="reservations"
        next={reservations.next}
        label={text('shared.reservations')}
      />
    </Card>
  );
}

function StatusChanges({ request, organization, changes }: ShownUnit) {
  const { text } = request;
  const rows = changes.map(({ at, from, to, reservationId, requestId }) => [
    <When request={request} time={at} />,
    <Change from={from} to={to} />,
    <Cause {...{ request, organization, reservationId, requestId }} />,
    <Code>{requestId ?? '–'}</Code>,
  ]);
  return (
    <Card title={text('unit.changes')}>
      <DataTable
        request={request}
        caption={text('unit.changesCaption')}
        columns={[
          text('shared.when'),
          text('shared.status'),
          text('unit.cause'),
          text('shared.request'),
        ]}
        rows={rows}
      />
    </Card>
  );
}

function Cause({
  request: { text },
  organization,
  reservationId,
  requestId,
}: Pick<ShownUnit, 'request' | 'organization'> &
  Pick<UnitStatusChange, 'reservationId' | 'requestId'>) {
  if (reservationId === null) {
    return <>{text(requestId === undefined ? 'unit.causeImport' : 'unit.causeRequest')}</>;
  }
  return (
    <>
      {text('unit.causeCallback')}{' '}
      <Link to={`/reservations/${organization._id.toHexString()}/${reservationId}`}>
        <Code>{reservationId}</Code>
      </Link>
    </>
  );
}
