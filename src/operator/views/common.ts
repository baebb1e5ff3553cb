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
