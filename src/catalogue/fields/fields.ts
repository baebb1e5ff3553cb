import type { PropOptions } from '@nestjs/mongoose';
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
} from '../../core/database/documents/stored-values.js';
import { Field } from '../../core/http/validation/field.js';
import { TimeField } from '../../core/http/validation/fields.js';
import { quantity } from '../../core/values/numbers.js';
import {
  declareField,
  documented,
  type Documentation,
  type FieldOptions,
  type ReferenceKind,
  type SentAs,
  sentAs,
} from './declared-fields.js';
import {
  boolean,
  isoTime,
  nameOrNull,
  orNull,
  type SentKind,
  shortText,
  textList,
} from './sent-values.js';

const idPattern = '^([0-9a-f]{24})?$';
const exampleId = '6740b1f2c3d4e5f607182930';
const exampleTime = '2026-01-05T09:30:00.000Z';

interface TextOptions extends FieldOptions {
  /** A short text where it is not given. */
  readonly kind?: SentKind;
  /** Stored where the field is not sent. */
  readonly default?: string | null;
}

/** A text; empty where there is none. */
export function Text(options: TextOptions = {}): PropertyDecorator {
  return declareText(textOf, { type: String }, options);
}

/** A text; null where there is none. */
export function NullableText(options: TextOptions): PropertyDecorator {
  return declareText(
    (value) => textOf(value) || null,
    { type: String, nullable: true, example: null },
    {
      ...options,
      kind: orNull(shortText),
    },
  );
}

/** A text that is left out where there is none. */
export function OptionalText(options: TextOptions): PropertyDecorator {
  const api = { type: String, required: false };
  return declareText((value) => (typeof value === 'string' ? value : undefined), api, options);
}

/** A text that is not shown. */
export function HiddenText({ kind = shortText, ...options }: TextOptions): PropertyDecorator {
  return declareField({ stored: { type: String }, sent: sentAs(options, kind) });
}

function declareText(
  read: (value: unknown) => unknown,
  api: ApiPropertyOptions,
  { kind = shortText, default: standard, ...options }: TextOptions,
): PropertyDecorator {
  const { rules, api: sentApi } = kind;
  const hasDefault = typeof standard === 'string';
  const sent = sentAs(options, {
    rules,
    api: hasDefault ? { ...sentApi, default: standard } : sentApi,
  });
  const toStored = (value: unknown) => (value === undefined ? standard : value);
  return declareField({
    stored: storedAs({ type: String }, options),
    shown: { read, api: documented(api, options) },
    sent: sent && { ...sent, toStored },
    hasColumn: options.column,
  });
}

/** A number that is not negative; 0 where there is none. */
export function Quantity(options: FieldOptions): PropertyDecorator {
  return declareField({
    stored: storedAs({ type: Number }, options),
    shown: { read: numberOf, api: documented({ type: Number }, options) },
    sent: sentAs(options, { rules: quantity, api: { type: Number, minimum: 0 } }),
    hasColumn: options.column,
  });
}

/** A boolean; false where there is none. */
export function Flag(options: FieldOptions = {}): PropertyDecorator {
  return declareField({
    stored: storedAs({ type: Boolean }, options),
    shown: { read: flagOf, api: documented({ type: Boolean, example: false }, options) },
    sent: sentAs(options, boolean),
    hasColumn: options.column,
  });
}

/** A time; empty where there is none. */
export function Time(options: FieldOptions = {}): PropertyDecorator {
  const api = { type: String, format: 'date-time', example: exampleTime } as const;
  return declareField({
    stored: storedAs({ type: Date }, options),
    shown: { read: timeOf, api: documented(api, options) },
  });
}

/** A time of an object that imports send; empty where there is none. */
export function ImportedTime(): PropertyDecorator {
  const api = { type: String, example: exampleTime, description: 'ISO 8601.' } as const;
  return declareField({
    shown: { read: timeOf, api },
    sent: {
      ...sentAs({ imported: 'required' }, isoTime),
      inImports: TimeField({ required: true }),
    } as SentAs,
  });
}

/** A time; null where there is none. */
export function NullableTime(): PropertyDecorator {
  const api = { type: String, format: 'date-time', nullable: true, example: null } as const;
  return declareField({ stored: { type: Date }, shown: { read: timeOrNull, api } });
}

/** A list of anything; empty where there is none. */
export function List(): PropertyDecorator {
  return declareField({ stored: { type: [] }, shown: shownList });
}

/** A list of texts, which another program may have stored otherwise. */
export function Texts(options: FieldOptions): PropertyDecorator {
  return declareField({
    stored: { type: [] },
    shown: shownList,
    sent: sentAs(options, textList),
    hasColumn: options.column,
  });
}

/** An id; empty where the document refers to nothing. */
export function Id(options: Pick<FieldOptions, 'description' | 'stored'> = {}): PropertyDecorator {
  return declareField({
    stored: storedAs({ type: SchemaTypes.ObjectId }, options),
    shown: { read: idOf, api: documented(idApi, options) },
  });
}

/** An id; null where there is none. */
export function NullableId(): PropertyDecorator {
  const api = { ...idApi, nullable: true, example: null };
  return declareField({ stored: { type: SchemaTypes.ObjectId }, shown: { read: idOrNull, api } });
}

/** The ids of documents of other programs. */
export function ForeignIds(): PropertyDecorator {
  return declareField({ stored: { type: [] }, shown: shownIds });
}

interface ReferenceOptions extends Pick<FieldOptions, 'description' | 'imported'> {
  /** The name of the field in requests and imports, which name the document. */
  readonly as: string;
  readonly sent?: Documentation;
  /** A name that is looked for, or null for none, unless it is given. */
  readonly kind?: SentKind;
}

/** The id of a document. */
export function Reference(refersTo: ReferenceKind, options: ReferenceOptions): PropertyDecorator {
  const { as: name, kind = nameOrNull, description: _shown, ...sent } = options;
  const slug = { inImports: Field({ required: true }, shortText.rules) };
  return declareField({
    stored: { type: SchemaTypes.ObjectId },
    shown: { read: idOf, api: documented(idApi, options) },
    sent: {
      ...sentAs({ imported: true, ...sent }, kind),
      ...(options.imported === 'required' ? slug : {}),
      name,
      refersTo,
    } as SentAs,
  });
}

/** The ids of documents of a kind. */
export function References(refersTo: ReferenceKind, options: ReferenceOptions): PropertyDecorator {
  const { as: name, ...sent } = options;
  return declareField({
    stored: { type: [SchemaTypes.ObjectId] },
    shown: shownIds,
    sent: { ...sentAs({ imported: true, ...sent }, textList), name, refersTo } as SentAs,
  });
}

const idApi = { type: String, pattern: idPattern, example: exampleId } as const;
const shownList = { read: listOf, api: { type: 'array', items: {}, example: [] } } as const;
const shownIds = {
  read: idsOf,
  api: { type: 'array', items: { type: 'string', pattern: idPattern }, example: [exampleId] },
} as const;

function storedAs(
  options: PropOptions,
  { stored }: Pick<FieldOptions, 'stored'>,
): PropOptions | undefined {
  return stored === false ? undefined : options;
}
