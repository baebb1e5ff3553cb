import { field, type ViewField } from './view-field.js';

export const idField = field('code', 'shared.id', '_id');
export const externalIdField = field('code', 'shared.externalId', 'recordSystemId');
export const createdAtField = field('time', 'shared.created', 'createdAt');
export const updatedAtField = field('time', 'shared.updated', 'updatedAt');
export const requestIdField = field('code', 'shared.request', 'requestId');

/** Only the console sets `organizationName`. */
export const organizationField = field(
  'text',
  'shared.organization',
  ({ organizationId, organizationName }) => organizationName ?? organizationId,
) satisfies ViewField<{
  readonly organizationId: string;
  readonly organizationName?: string | undefined;
}>;

export const statusField = field('code', 'shared.status', (item) => item.status, {
  note: ({ isDeleted }) => (isDeleted ? 'shared.deleted' : null),
}) satisfies ViewField<{
  readonly status?: string | null | undefined;
  readonly isDeleted?: boolean | null | undefined;
}>;
