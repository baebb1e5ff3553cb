import { Schema } from '@nestjs/mongoose';
import { SchemaTypes, type Types } from 'mongoose';
import {
  flagOf,
  idOf,
  idsOf,
  listOf,
  numberOf,
  textOf,
  timeOf,
} from '../database/documents/stored-values.js';
import { DeletableDocument } from '../database/documents/tenant-document.js';
import {
  BooleanField,
  ExternalIdField,
  QuantityField,
  ShortTextField,
  SlugField,
  TextField,
  TextListField,
  TextOrNullField,
  TimeField,
  UrlField,
} from '../validation/fields.js';
import { objectOf } from '../values/json.js';
import {
  declareField,
  type Documentation,
  type FieldKind,
  type FieldOptions,
  type ReferenceKind,
} from './declared-fields.js';

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

const text = { stored: { type: String }, read: textOf, api: { type: String } };

const nullable = (of: FieldKind, api: Documentation = { example: null }): FieldKind => ({
  ...of,
  read: (value, language) => of.read(value, language) || null,
  api: { ...of.api, nullable: true, ...api },
});

export const Text = fieldDecorator({ ...text, sent: ShortTextField });

export const Slug = fieldDecorator({ ...text, sent: SlugField });

export const Url = fieldDecorator({
  ...text,
  sent: UrlField,
});

export const LongText = fieldDecorator({ ...text, sent: TextField });

export const ExternalId = fieldDecorator({ ...text, sent: ExternalIdField });

const optionalText = {
  ...text,
  read: (value: unknown) => (typeof value === 'string' ? value : undefined),
  api: { type: String, required: false },
};

export const OptionalText = fieldDecorator({ ...optionalText, sent: ShortTextField });

export const OptionalExternalId = fieldDecorator({ ...optionalText, sent: ExternalIdField });

export const Choice = (values: readonly string[], options: FieldOptions): PropertyDecorator =>
  declareField({ ...text, api: { type: String, enum: [...values] } }, options);

export const NullableText = fieldDecorator({ ...nullable(text), sent: TextOrNullField });

export const Quantity = fieldDecorator({
  stored: { type: Number },
  read: numberOf,
  api: { type: Number },
  sent: QuantityField,
});

/** Responses show stored 64-bit integers exactly. */
export const SequenceNumber = fieldDecorator({
  stored: { type: Number },
  read: (value) => value ?? 0,
  api: { type: 'integer', minimum: 1 },
});

export const OptionalNumber = fieldDecorator({
  stored: { type: Number },
  read: (value) => (value === undefined || value === null ? undefined : numberOf(value)),
  api: { type: Number, required: false },
});

export const Flag = fieldDecorator({
  stored: { type: Boolean },
  read: flagOf,
  api: { type: Boolean, example: false },
  sent: BooleanField,
});

const time = { stored: { type: Date }, read: timeOf, api: timeApi };

const Time = fieldDecorator(time);

export const ImportedTime = fieldDecorator({
  ...time,
  api: { type: String, example: timeApi.example, description: 'ISO 8601.' },
  sent: TimeField,
});

export const NullableTime = fieldDecorator(nullable(time));

export const OptionalTime = fieldDecorator({
  ...time,
  read: (value) => timeOf(value) || undefined,
  api: { ...timeApi, required: false },
});

const list = {
  stored: { type: [] },
  read: listOf,
  api: { type: 'array', items: {}, example: [] },
} as const satisfies FieldKind;

export const List = fieldDecorator(list);

export const TextList = fieldDecorator({ ...list, sent: TextListField });

const id = { stored: { type: SchemaTypes.ObjectId }, read: idOf, api: idApi };

export const Id = fieldDecorator(id);

export const NullableId = fieldDecorator(nullable(id));

export const ForeignIds = fieldDecorator({ stored: { type: [] }, read: idsOf, api: idsApi });

const objectIdApi = { ...idApi, pattern: '^[0-9a-f]{24}$' };

/** Unlike other ids, it is documented as never empty. */
const recordId = { ...id, api: objectIdApi };

export const RecordId = fieldDecorator(recordId);

export const NullableRecordId = fieldDecorator(nullable(recordId, {}));

export const RecordIds = fieldDecorator({
  stored: { type: [SchemaTypes.ObjectId] },
  read: idsOf,
  api: { ...idsApi, items: { type: 'string', pattern: objectIdApi.pattern } },
});

export const FreeForm = fieldDecorator({
  stored: { type: SchemaTypes.Mixed, bsonType: 'object' } as object,
  read: objectOf,
  api: { type: 'object', additionalProperties: true },
});

interface ReferenceOptions extends Pick<FieldOptions, 'description' | 'imported'> {
  /** The field's name in requests and imports, which send names or slugs instead of ids. */
  readonly as: string;
  readonly sent?: Documentation;
}

/** Null removes the reference, unless imports require it. */
export function Reference(
  refersTo: ReferenceKind,
  { as: name, imported = true, ...options }: ReferenceOptions,
): PropertyDecorator {
  const isRequired = imported === 'required';
  const sent = isRequired ? TextField : TextOrNullField;
  const of = { ...id, sent, ...(isRequired && { imported: ShortTextField }) };
  return declareField(of, { imported, ...options }, { name, refersTo });
}

export function References(
  refersTo: ReferenceKind,
  { as: name, ...options }: ReferenceOptions,
): PropertyDecorator {
  const stored = { type: [SchemaTypes.ObjectId] };
  const of = { stored, read: idsOf, api: idsApi, sent: TextListField };
  return declareField(of, { imported: true, ...options }, { name, refersTo });
}

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
