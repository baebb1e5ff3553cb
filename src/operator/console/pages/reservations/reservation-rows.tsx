import type { ComponentChildren } from 'preact';
import type { ListedReservation } from '../../../../reservations/reading/reservation-history.service.js';
import type { PageRequest } from '../page.js';
import { Code, Link, When } from '../shared/parts.js';

/** The columns of a list of reservations. */
export function reservationColumns({ text }: PageRequest): string[] {
  return [
    text('shared.reservation'),
    text('shared.externalId'),
    text('shared.status'),
    text('shared.unit'),
    text('shared.created'),
    text('shared.updated'),
  ];
}

/** A reservation in a list. */
export function reservationRow(
  request: PageRequest,
  organizationId: string,
  { _id, recordSystemId, status, isDeleted, unitId, createdAt, updatedAt }: ListedReservation,
): ComponentChildren[] {
  return [
    <Link to={`/reservations/${organizationId}/${_id}`}>
      <Code>{_id}</Code>
    </Link>,
    <Code>{recordSystemId ?? '–'}</Code>,
    <>
      <Code>{status}</Code>
      {isDeleted && ` (${request.text('shared.deleted')})`}
    </>,
    unitId === null ? '–' : <UnitLink {...{ organizationId, unitId }} />,
    <When request={request} time={createdAt} />,
    <When request={request} time={updatedAt} />,
  ];
}

/** A link to the page of a unit. */
export function UnitLink({
  organizationId,
  unitId,
  children,
}: {
  readonly organizationId: string;
  readonly unitId: string;
  readonly children?: ComponentChildren;
}) {
  return <Link to={`/units/${organizationId}/${unitId}`}>{children ?? <Code>{unitId}</Code>}</Link>;
}
