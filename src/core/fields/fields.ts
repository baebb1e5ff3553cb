import type { ApiPropertyOptions } from '@nestjs/swagger';
import { SchemaTypes } from 'mongoose';
import {
  flagOf,
  idOf,
  idOrNull,
  idsOf,
  listOf,
  numberOf,
  textOf,
  timeOf,
  timeOrNull,
} from '../database/documents/stored-values.js';
import { Field } from '../http/validation/field.js';
import { TimeField } from '../http/validation/fields.js';
import { objectOf } from '../values/json.js';
import {
  declareField,
  type Documentation,
  type FieldKind,
  type FieldOptions,
  type ReferenceKind,
} from './declared-fields.js';
import {
  boolean,
  isoTime,
  nameOrNull,
  nonNegativeNumber,
  orNull,
  type InputKind,
  shortTextInput,
  textList,
} from './sent-values.js';

const isNull = { nullable: true, example: null } as const;
const idApi = { type: String, pattern: '^([0-9a-f]{24})?$', example: '6740b1f2c3d4e5f607182930' };
const idsApi = {
  type: 'array',
  items: { type: 'string', pattern: idApi.pattern },
  example: [idApi.example],
} as const;
const timeApi = { type: String, format: 'date-time', example: '2026-01-05T09:30:00.000Z' };

/** Other programs may store values of any type: a wrong type is shown as missing. */
const kind =
  (of: FieldKind) =>
  (options: FieldOptions = {}): PropertyDecorator =>
    declareField(of, options);

const storedText = { type: String };
export const Text = kind({
  stored: storedText,
  read: textOf,
  api: { type: String },
  sent: shortTextInput,
});

export const NullableText = kind({
  stored: storedText,
  read: (value) => textOf(value) || null,
  api: { type: String, ...isNull },
  sent: orNull(shortTextInput),
});

/** A text; left out if missing. */
export const OptionalText = kind({
  stored: storedText,
  read: (value) => (typeof value === 'string' ? value : undefined),
  api: { type: String, required: false },
  sent: shortTextInput,
});

/** One of the documented texts. */
export const Choice = (values: readonly string[], options: FieldOptions): PropertyDecorator =>
  declareField(
    { stored: storedText, read: textOf, api: { type: String, enum: [...values] } },
    options,
  );

export const Quantity = kind({
  stored: { type: Number },
  read: numberOf,
  api: { type: Number },
  sent: nonNegativeNumber,
});

/** From 1. */
export const SerialNumber = kind({
  stored: { type: Number },
  read: numberOf,
  api: { type: 'integer', minimum: 1 },
});

/** A number; left out if missing. */
export const OptionalNumber = kind({
  stored: { type: Number },
  read: (value) => (value === undefined || value === null ? undefined : numberOf(value)),
  api: { type: Number, required: false },
});

export const Flag = kind({
  stored: { type: Boolean },
  read: flagOf,
  api: { type: Boolean, example: false },
  sent: boolean,
});

const storedTime = { type: Date };
export const Time = kind({ stored: storedTime, read: timeOf, api: timeApi });

export const ImportedTime = kind({
  stored: storedTime,
  read: timeOf,
  api: { type: String, example: timeApi.example, description: 'ISO 8601.' },
  sent: { ...isoTime, inImports: TimeField },
});

export const NullableTime = kind({
  stored: storedTime,
  read: timeOrNull,
  api: { ...timeApi, ...isNull },
});

/** A time; left out if missing. */
export const OptionalTime = kind({
  stored: storedTime,
  read: (value) => timeOf(value) || undefined,
  api: { ...timeApi, required: false },
});

const list = {
  stored: { type: [] },
  read: listOf,
  api: { type: 'array', items: {}, example: [] },
} as const satisfies FieldKind;
export const List = kind(list);

export const Texts = kind({ ...list, sent: textList });

const storedId = { type: SchemaTypes.ObjectId };
export const Id = kind({ stored: storedId, read: idOf, api: idApi });

export const NullableId = kind({
  stored: storedId,
  read: idOrNull,
  api: { ...idApi, ...isNull },
});

/** The ids of documents of other programs. */
export const ForeignIds = kind({ stored: { type: [] }, read: idsOf, api: idsApi });

const objectIdApi = { ...idApi, pattern: '^[0-9a-f]{24}$' };

/** Only an ObjectId: values of other types are not read. */
export const RecordId = kind({ stored: storedId, read: idOf, api: objectIdApi });

export const NullableRecordId = kind({
  stored: storedId,
  read: idOrNull,
  api: { ...objectIdApi, nullable: true },
});

export const RecordIds = kind({
  stored: { type: [SchemaTypes.ObjectId] },
  read: idsOf,
  api: { ...idsApi, items: { type: 'string', pattern: objectIdApi.pattern } },
});

/** Stored as sent. */
export const FreeForm = kind({
  stored: { type: SchemaTypes.Mixed, bsonType: 'object' } as object,
  read: objectOf,
  api: { type: 'object', additionalProperties: true },
});

interface ReferenceOptions extends Pick<FieldOptions, 'description' | 'imported'> {
  /** The name of the field in requests and imports, which send names or slugs for ids. */
  readonly as: string;
  readonly sent?: Documentation;
  readonly kind?: InputKind;
}

const reference =
  (of: FieldKind) =>
  (refersTo: ReferenceKind, { as: name, ...options }: ReferenceOptions): PropertyDecorator =>
    declareField(of, { imported: true, ...options }, { name, refersTo });

const slugField = (api: ApiPropertyOptions) => Field(api, shortTextInput.rules);

export function Reference(
  refersTo: ReferenceKind,
  { kind: sent = nameOrNull, ...options }: ReferenceOptions,
): PropertyDecorator {
  const inImports = options.imported === 'required' ? { inImports: slugField } : {};
  const of = { stored: storedId, read: idOf, api: idApi, sent: { ...sent, ...inImports } };
  return reference(of)(refersTo, options);
}

export const References = reference({
  stored: { type: [SchemaTypes.ObjectId] },
  read: idsOf,
  api: idsApi,
  sent: textList,
});
