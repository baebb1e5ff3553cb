import { field, type ViewField } from './view-field.js';

export const idField = field('code', 'ID', '_id');
export const externalIdField = field('code', 'External ID', 'recordSystemId');
export const createdAtField = field('time', 'Created', 'createdAt');
export const updatedAtField = field('time', 'Updated', 'updatedAt');
export const requestIdField = field('code', 'Request', 'requestId');

/** Only the console sets `organizationName`. */
export const organizationField = field(
  'text',
  'Organization',
  ({ organizationId, organizationName }) => organizationName ?? organizationId,
) satisfies ViewField<{
  readonly organizationId: string;
  readonly organizationName?: string | undefined;
}>;

export const statusField = field('code', 'Status', (item) => item.status, {
  note: ({ isDeleted }) => (isDeleted ? 'deleted' : null),
}) satisfies ViewField<{
  readonly status?: string | null | undefined;
  readonly isDeleted?: boolean | null | undefined;
}>;
