import { Schema } from '@nestjs/mongoose';
import type { ApiPropertyOptions } from '@nestjs/swagger';
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
import { Field } from '../http/validation/field.js';
import {
  atMostItems,
  BooleanField,
  ExternalIdField,
  TextField,
  TimeField,
} from '../http/validation/fields.js';
import { isPlainObject, objectOf } from '../values/json.js';
import { quantity } from '../values/numbers.js';
import { isValid, type Rule, type ValueKind } from '../values/rule.js';
import * as texts from '../values/text.js';
import {
  declareField,
  type Documentation,
  type FieldKind,
  type FieldOptions,
  type ReferenceKind,
} from './declared-fields.js';

export const maxListItems = 500;

export const shortTextApi = {
  type: 'string',
  minLength: 1,
  maxLength: texts.maxShortTextLength,
  pattern: String.raw`^[^\x00]*[^\s\x00][^\x00]*$`,
} as const;

const limited = { limit: texts.maxShortTextLength };
const { name: tooLong, isMet: isShort } = texts.maxLength(texts.maxShortTextLength);
/** The length has a rule of its own, `fits`. */
export const unlimitedText = texts.shortText.filter(({ name }) => name !== tooLong);
export const fitsShortText: Rule = {
  name: tooLong,
  isMet: (value) =>
    (isPlainObject(value) ? Object.values(value) : [value]).every((text) => isShort(text)),
  values: limited,
};

export const field = (standard: object, rules: ValueKind) => (api: ApiPropertyOptions) =>
  Field({ ...standard, ...api }, rules);

const shortTextField = field(shortTextApi, texts.shortText);

const textOrNullField = field({ ...shortTextApi, nullable: true }, [
  fitsShortText,
  { name: 'isTextOrNull', isMet: (value) => value === null || isValid(unlimitedText, value) },
]);

const textListField = field({ type: 'array', items: shortTextApi, maxItems: maxListItems }, [
  atMostItems(maxListItems),
  {
    name: 'isTextList',
    isMet: (value) => Array.isArray(value) && value.every((text) => isValid(texts.shortText, text)),
    values: limited,
  },
]);

const idApi = { type: String, pattern: '^([0-9a-f]{24})?$', example: '6740b1f2c3d4e5f607182930' };
const idsApi = {
  type: 'array',
  items: { type: 'string', pattern: idApi.pattern },
  example: [idApi.example],
} as const;
const timeApi = { type: String, format: 'date-time', example: '2026-01-05T09:30:00.000Z' };

/** Other programs may store any type: values of a wrong type count as missing. */
const kind =
  (of: FieldKind) =>
  (options: FieldOptions = {}): PropertyDecorator =>
    declareField(of, options);

const text = { stored: { type: String }, read: textOf, api: { type: String } };

const nullable = (of: FieldKind, api: Documentation = { example: null }): FieldKind => ({
  ...of,
  read: (value, language) => of.read(value, language) || null,
  api: { ...of.api, nullable: true, ...api },
});

export const Text = kind({ ...text, sent: shortTextField });

export const Slug = kind({ ...text, sent: field(shortTextApi, texts.newSlug) });

export const Url = kind({
  ...text,
  sent: field({ ...shortTextApi, format: 'uri' }, texts.httpUrl),
});

export const LongText = kind({ ...text, sent: TextField });

export const ExternalId = kind({ ...text, sent: ExternalIdField });

const optionalText = {
  ...text,
  read: (value: unknown) => (typeof value === 'string' ? value : undefined),
  api: { type: String, required: false },
};

export const OptionalText = kind({ ...optionalText, sent: shortTextField });

export const OptionalExternalId = kind({ ...optionalText, sent: ExternalIdField });

export const Choice = (values: readonly string[], options: FieldOptions): PropertyDecorator =>
  declareField({ ...text, api: { type: String, enum: [...values] } }, options);

export const NullableText = kind({ ...nullable(text), sent: textOrNullField });

export const Quantity = kind({
  stored: { type: Number },
  read: numberOf,
  api: { type: Number },
  sent: field({ type: Number, minimum: 0 }, quantity),
});

/** Responses show stored 64-bit integers exactly. */
export const SerialNumber = kind({
  stored: { type: Number },
  read: (value) => value ?? 0,
  api: { type: 'integer', minimum: 1 },
});

export const OptionalNumber = kind({
  stored: { type: Number },
  read: (value) => (value === undefined || value === null ? undefined : numberOf(value)),
  api: { type: Number, required: false },
});

export const Flag = kind({
  stored: { type: Boolean },
  read: flagOf,
  api: { type: Boolean, example: false },
  sent: BooleanField,
});

const time = { stored: { type: Date }, read: timeOf, api: timeApi };

const Time = kind(time);

export const ImportedTime = kind({
  ...time,
  api: { type: String, example: timeApi.example, description: 'ISO 8601.' },
  sent: TimeField,
});

export const NullableTime = kind(nullable(time));

export const OptionalTime = kind({
  ...time,
  read: (value) => timeOf(value) || undefined,
  api: { ...timeApi, required: false },
});

const list = {
  stored: { type: [] },
  read: listOf,
  api: { type: 'array', items: {}, example: [] },
} as const satisfies FieldKind;

export const List = kind(list);

export const Texts = kind({ ...list, sent: textListField });

const id = { stored: { type: SchemaTypes.ObjectId }, read: idOf, api: idApi };

export const Id = kind(id);

export const NullableId = kind(nullable(id));

export const ForeignIds = kind({ stored: { type: [] }, read: idsOf, api: idsApi });

const objectIdApi = { ...idApi, pattern: '^[0-9a-f]{24}$' };

/** Reads only ObjectIds. */
const recordId = { ...id, api: objectIdApi };

export const RecordId = kind(recordId);

export const NullableRecordId = kind(nullable(recordId, {}));

export const RecordIds = kind({
  stored: { type: [SchemaTypes.ObjectId] },
  read: idsOf,
  api: { ...idsApi, items: { type: 'string', pattern: objectIdApi.pattern } },
});

export const FreeForm = kind({
  stored: { type: SchemaTypes.Mixed, bsonType: 'object' } as object,
  read: objectOf,
  api: { type: 'object', additionalProperties: true },
});

interface ReferenceOptions extends Pick<FieldOptions, 'description' | 'imported'> {
  /** Its name in requests and imports, which send names or slugs for ids. */
  readonly as: string;
  readonly sent?: Documentation;
}

/** Null removes the reference, unless imports require it. */
export function Reference(
  refersTo: ReferenceKind,
  { as: name, imported = true, ...options }: ReferenceOptions,
): PropertyDecorator {
  const isRequired = imported === 'required';
  const sent = isRequired ? TextField : textOrNullField;
  const of = { ...id, sent, ...(isRequired && { imported: shortTextField }) };
  return declareField(of, { imported, ...options }, { name, refersTo });
}

export function References(
  refersTo: ReferenceKind,
  { as: name, ...options }: ReferenceOptions,
): PropertyDecorator {
  const stored = { type: [SchemaTypes.ObjectId] };
  const of = { stored, read: idsOf, api: idsApi, sent: textListField };
  return declareField(of, { imported: true, ...options }, { name, refersTo });
}

@Schema()
export class ShownDocument extends DeletableDocument {
  @RecordId({ stored: false })
  declare _id: Types.ObjectId;

  @Flag({ stored: false })
  declare isDeleted: boolean;

  @Time({ stored: false })
  declare createdAt: Date;

  @Time({ stored: false })
  declare updatedAt: Date;
}
