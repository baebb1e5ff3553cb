import { BSON, BSONType } from 'mongodb';
import { FieldNames, type RawValue } from '../../core/database/documents/raw-document.js';
import { defaultLanguage, type Language, languages } from '../../core/localization/language.js';
import type { JsonBytes } from '../../core/values/json-bytes.js';

const { NumberUtils } = BSON.onDemand;

/**
 * Writes what the reader of the same field gives for a value, straight from the stored bytes.
 *
 * @returns whether it has: of values of unusual types it writes nothing, or something that is to be taken back
 */
export type JsonWriter = (json: JsonBytes, value: RawValue, language: Language) => boolean;

/** In the bytes of a stored text the text stands behind its length and before a zero. */
const [textStart, textEnd] = [4, 1];

export const writeText: JsonWriter = (json, { bytes, type, offset, length }) => {
  if (type !== BSONType.string) return false;
  json.text(bytes, offset + textStart, offset + length - textEnd);
  return true;
};

/** A text that is not empty. */
export const writeFilledText: JsonWriter = (json, value, language) =>
  value.length > textStart + textEnd && writeText(json, value, language);

export const writeNumber: JsonWriter = (json, { bytes, type, offset }) => {
  if (type !== BSONType.int && type !== BSONType.double) return false;
  const number =
    type === BSONType.int
      ? NumberUtils.getInt32LE(bytes, offset)
      : NumberUtils.getFloat64LE(bytes, offset);
  if (!Number.isFinite(number)) return false;
  json.ascii(String(number));
  return true;
};

export const writeFlag: JsonWriter = (json, { bytes, type, offset }) => {
  if (type !== BSONType.bool) return false;
  json.ascii(bytes[offset] === 1 ? 'true' : 'false');
  return true;
};

export const writeId: JsonWriter = (json, { bytes, type, offset, length }) => {
  if (type !== BSONType.objectId) return false;
  json.hexadecimal(bytes, offset, offset + length);
  return true;
};

export const writeTime: JsonWriter = (json, { bytes, type, offset }) => {
  if (type !== BSONType.date) return false;
  const time = new Date(Number(NumberUtils.getBigInt64LE(bytes, offset)));
  if (Number.isNaN(time.getTime())) return false;
  json.ascii(`"${time.toISOString()}"`);
  return true;
};

/** What a text may be that has not been translated. */
const emptyTypes: ReadonlySet<number> = new Set([
  BSONType.string,
  BSONType.null,
  BSONType.undefined,
]);

const languageNames = new Map(
  languages.map((language) => [language, new FieldNames([language, defaultLanguage])]),
);

/** The text in a language, or in the default language where it is empty or missing. */
export const writeLocalized: JsonWriter = (json, { bytes, type, offset }, language) => {
  if (type !== BSONType.object) return false;
  for (const text of languageNames.get(language)?.valuesIn(bytes, offset) ?? []) {
    if (writeFilledText(json, text, language)) return true;
    if (!emptyTypes.has(text.type)) return false;
  }
  return false;
};

/** A list of which every item can be written. */
export function writeList(writeItem: JsonWriter): JsonWriter {
  return (json, value, language) => {
    const items = value.items();
    if (items === null) return false;
    json.ascii('[');
    for (const [index, item] of items.entries()) {
      if (index > 0) json.ascii(',');
      if (!writeItem(json, item, language)) return false;
    }
    json.ascii(']');
    return true;
  };
}
