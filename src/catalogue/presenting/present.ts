import type { Type } from '@nestjs/common';
import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import { FieldNames, type RawValue } from '../../core/database/documents/raw-document.js';
import type { Language } from '../../core/localization/language.js';
import type { JsonBytes } from '../../core/values/json-bytes.js';
import type { JsonWriter } from './json-writers.js';

/** Reads a stored value as the API shows it; undefined leaves the field out. */
export type Reader = (stored: unknown, language: Language) => unknown;

interface Field {
  readonly name: string;
  readonly read: Reader;
  readonly write: JsonWriter;
  /** Its name as JSON has it, with what stands before it, at the beginning of an object and behind another field. */
  readonly opening: string;
  readonly following: string;
}

const fieldsByPrototype = new WeakMap<object, readonly Field[]>();
const namesByFields = new WeakMap<readonly Field[], FieldNames>();

const writesNothing: JsonWriter = () => false;

/**
 * Documents a field of a response, and says how the stored value of the same name is shown.
 *
 * @param write shows stored bytes as `read` shows their value, where that is quicker
 */
export function Presented(
  read: Reader,
  options: ApiPropertyOptions,
  write: JsonWriter = writesNothing,
): PropertyDecorator {
  return (prototype, property) => {
    ApiProperty(options)(prototype, property);
    const name = String(property);
    const label = `${JSON.stringify(name)}:`;
    const field = { name, read, write, opening: `{${label}`, following: `,${label}` };
    fieldsByPrototype.set(prototype, [...fieldsOf(prototype), field]);
  };
}

/**
 * A stored document as a response class shows it: the fields that the class declares with
 * {@link Presented}, in their order, those of its parent class first.
 */
export function present<T extends object>(shape: Type<T>, stored: object, language: Language): T {
  const values = stored as Readonly<Record<string, unknown>>;
  const presented: Record<string, unknown> = {};
  for (const { name, read } of fieldsOf(shape.prototype as object)) {
    const value = read(values[name], language);
    if (value !== undefined) presented[name] = value;
  }
  return presented as T;
}

/**
 * Writes the JSON of {@link present} from the bytes of a stored document. The objects between them would
 * cost a large response more than all else that is done for it.
 *
 * @param offset where the document begins
 * @param rest further fields behind those of the class, as JSON; each begins with its comma
 */
export function writePresented(
  json: JsonBytes,
  shape: Type<object>,
  { bytes, offset = 0 }: { readonly bytes: Uint8Array; readonly offset?: number },
  language: Language,
  rest = '',
): void {
  const fields = fieldsOf(shape.prototype as object);
  const start = json.length;
  for (const [index, value] of namesOf(fields).valuesIn(bytes, offset).entries()) {
    writeField(json, fields[index] as Field, value, language, json.length === start);
  }
  if (json.length === start) json.ascii('{');
  json.json(`${rest}}`);
}

function writeField(
  json: JsonBytes,
  { read, write, opening, following }: Field,
  value: RawValue,
  language: Language,
  isFirst: boolean,
): void {
  const start = json.length;
  const label = isFirst ? opening : following;
  json.ascii(label);
  if (write(json, value, language)) return;
  json.cut(start);
  const shown = JSON.stringify(read(value.decoded(), language)) as string | undefined;
  if (shown !== undefined) json.json(label + shown);
}

/** The fields of a class; one that declares none has those of its parent class. */
function fieldsOf(prototype: object | null): readonly Field[] {
  if (prototype === null) return [];
  return fieldsByPrototype.get(prototype) ?? fieldsOf(Object.getPrototypeOf(prototype) as object);
}

function namesOf(fields: readonly Field[]): FieldNames {
  let names = namesByFields.get(fields);
  if (names === undefined) {
    names = new FieldNames(fields.map(({ name }) => name));
    namesByFields.set(fields, names);
  }
  return names;
}
