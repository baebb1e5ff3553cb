import type { ViewField } from './field.js';

export const id = {
  title: 'shared.id',
  kind: 'code',
  of: ({ _id }) => _id,
} satisfies ViewField<{ readonly _id: string }>;

export const externalIdField = {
  title: 'shared.externalId',
  kind: 'code',
  of: ({ recordSystemId }) => recordSystemId,
} satisfies ViewField<{ readonly recordSystemId?: string | null }>;

export const createdAt = {
  title: 'shared.created',
  kind: 'time',
  of: (item) => item.createdAt,
} satisfies ViewField<{ readonly createdAt: Date | string | null }>;

export const updatedAt = {
  title: 'shared.updated',
  kind: 'time',
  of: (item) => item.updatedAt,
} satisfies ViewField<{ readonly updatedAt: Date | string | null }>;

export const requestIdField = {
  title: 'shared.request',
  kind: 'code',
  of: (item) => item.requestId,
} satisfies ViewField<{ readonly requestId?: string | null | undefined }>;

/** Only the console knows the name. */
export const organizationField = {
  title: 'shared.organization',
  kind: 'text',
  of: ({ organizationId, organizationName }) => organizationName ?? organizationId,
} satisfies ViewField<{
  readonly organizationId: string;
  readonly organizationName?: string | undefined;
}>;

export const statusField = {
  title: 'shared.status',
  kind: 'code',
  of: (item) => item.status,
  note: ({ isDeleted }) => (isDeleted ? 'shared.deleted' : null),
} satisfies ViewField<{
  readonly status?: string | null | undefined;
  readonly isDeleted?: boolean | null | undefined;
}>;
