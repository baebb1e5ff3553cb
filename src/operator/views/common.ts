import type { Field } from './field.js';

export const id = {
  title: 'shared.id',
  kind: 'code',
  of: ({ _id }) => _id,
} satisfies Field<{ readonly _id: string }>;

export const externalId = {
  title: 'shared.externalId',
  kind: 'code',
  of: ({ recordSystemId }) => recordSystemId,
} satisfies Field<{ readonly recordSystemId?: string | null }>;

export const createdAt = {
  title: 'shared.created',
  kind: 'time',
  of: (item) => item.createdAt,
} satisfies Field<{ readonly createdAt: Date | string | null }>;

export const updatedAt = {
  title: 'shared.updated',
  kind: 'time',
  of: (item) => item.updatedAt,
} satisfies Field<{ readonly updatedAt: Date | string | null }>;

export const requestId = {
  title: 'shared.request',
  kind: 'code',
  of: (item) => item.requestId,
} satisfies Field<{ readonly requestId?: string | null | undefined }>;
