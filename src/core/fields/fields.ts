import { Schema } from '@nestjs/mongoose';
import { Long } from 'mongodb';
import { SchemaTypes, type Types } from 'mongoose';
import {
  asFlag,
  asId,
  asIds,
  asList,
  asNumber,
  asTime,
} from '../database/documents/stored-values.js';
import { FreeFormType } from '../database/models/by-reference.js';
import { DeletableDocument } from '../database/documents/tenant-document.js';
import { isStoredObject } from '../values/json.js';
import { asText } from '../values/text.js';
import { declareField, type FieldKind, type FieldOptions } from './declared-fields.js';

const idApi = { type: String, pattern: '^([0-9a-f]{24})?$', example: '6740b1f2c3d4e5f607182930' };
const idsApi = {
  type: 'array',
  items: { type: 'string', pattern: idApi.pattern },
  example: [idApi.example],
} as const;
const timeApi = { type: String, format: 'date-time', example: '2026-01-05T09:30:00.000Z' };

/** Other programs may store any type: values of a wrong type count as missing. */
const fieldDecorator =
  (of: FieldKind) =>
  (options: FieldOptions = {}): PropertyDecorator =>
    declareField(of, options);

const text = { stored: { type: String }, read: asText, api: { type: String } };

const nullable = (
  of: FieldKind,
  api: Pick<FieldOptions, 'example'> = { example: null },
): FieldKind => ({
  ...of,
  read: (value, language) => of.read(value, language) || null,
  api: { ...of.api, nullable: true, ...api },
});

export const Text = fieldDecorator(text);

const optionalText = {
  ...text,
  read: (value: unknown) => (typeof value === 'string' ? value : undefined),
  api: { type: String, required: false },
};

export const OptionalText = fieldDecorator(optionalText);

export const Choice = (values: readonly string[], options: FieldOptions): PropertyDecorator =>
  declareField({ ...text, api: { type: String, enum: [...values] } }, options);

export const NullableText = fieldDecorator(nullable(text));

export const Quantity = fieldDecorator({
  stored: { type: Number },
  read: asNumber,
  api: { type: Number },
});

/** Responses show stored 64-bit integers exactly. */
export const SequenceNumber = fieldDecorator({
  stored: { type: Number },
  read: (value) => (value instanceof Long ? value : asNumber(value)),
  api: { type: 'integer', minimum: 1 },
});

export const OptionalNumber = fieldDecorator({
  stored: { type: Number },
  read: (value) => (value === undefined || value === null ? undefined : asNumber(value)),
  api: { type: Number, required: false },
});

export const Flag = fieldDecorator({
  stored: { type: Boolean },
  read: asFlag,
  api: { type: Boolean, example: false },
});

const time = { stored: { type: Date }, read: asTime, api: timeApi };

export const Time = fieldDecorator(time);

export const ImportedTime = fieldDecorator({
  ...time,
  api: { type: String, example: timeApi.example, description: 'ISO 8601.' },
});

export const NullableTime = fieldDecorator(nullable(time));

export const OptionalTime = fieldDecorator({
  ...time,
  read: (value) => asTime(value) || undefined,
  api: { ...timeApi, required: false },
});

export const List = fieldDecorator({
  stored: { type: [] },
  read: asList,
  api: { type: 'array', items: {}, example: [] },
});

const id = { stored: { type: SchemaTypes.ObjectId }, read: asId, api: idApi };

export const Id = fieldDecorator(id);

export const NullableId = fieldDecorator(nullable(id));

export const Ids = fieldDecorator({
  stored: { type: [SchemaTypes.ObjectId] },
  read: asIds,
  api: idsApi,
});

export const ForeignIds = fieldDecorator({ stored: { type: [] }, read: asIds, api: idsApi });

const objectIdApi = { ...idApi, pattern: '^[0-9a-f]{24}$' };

/** Unlike other ids, it is documented as never empty. */
const recordId = { ...id, api: objectIdApi };

export const RecordId = fieldDecorator(recordId);

export const NullableRecordId = fieldDecorator(nullable(recordId, {}));

export const RecordIds = fieldDecorator({
  stored: { type: [SchemaTypes.ObjectId] },
  read: asIds,
  api: { ...idsApi, items: { type: 'string', pattern: objectIdApi.pattern } },
});

export const FreeForm = fieldDecorator({
  stored: { type: FreeFormType, bsonType: 'object' } as object,
  read: (value) => (isStoredObject(value) ? value : {}),
  api: { type: 'object', additionalProperties: true },
});

@Schema()
export class PresentedDocument extends DeletableDocument {
  @RecordId({ stored: false })
  declare _id: Types.ObjectId;

  @Flag({ stored: false })
  declare isDeleted: boolean;

  @Time({ stored: false })
  declare createdAt: Date;

  @Time({ stored: false })
  declare updatedAt: Date;
}
