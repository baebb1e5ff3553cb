import { Allow, getMetadataStorage, IS_OPTIONAL } from 'class-validator';
import { isPlainObject } from '../values/json.js';

export type DtoClass<T extends object = object> = new () => T;

/**
 * How the reader treats a field: a single object, a list of at most `maxItems` objects, an object with these `names`
 * whose values it keeps, or a value that it parses.
 */
type Reading =
  | { readonly type: DtoClass; readonly maxItems?: number }
  | { readonly names: readonly string[] }
  | { readonly parse: (value: unknown) => unknown };

interface FieldReading {
  readonly keepsNull: boolean;
  readonly reading: Reading | undefined;
}

/** Without it, the reader keeps values as sent. Mapped types inherit it, because class-validator's metadata has it. */
export function ReadAs(reading: Reading): PropertyDecorator {
  return Allow({ context: { reading } });
}

const readingsByType = new WeakMap<DtoClass, ReadonlyMap<string, FieldReading>>();

function readingsOf(type: DtoClass): ReadonlyMap<string, FieldReading> {
  const known = readingsByType.get(type);
  if (known !== undefined) return known;
  const rules = getMetadataStorage().getTargetValidationMetadatas(type, '', false, false);
  const readings = new Map<string, FieldReading>();
  for (const [field, ofField] of Map.groupBy(rules, ({ propertyName }) => propertyName)) {
    const contexts = ofField.map(({ context }) => context as { reading?: Reading } | undefined);
    const reading = contexts.find((context) => context?.reading)?.reading;
    readings.set(field, { keepsNull: !ofField.some(({ name }) => name === IS_OPTIONAL), reading });
  }
  readingsByType.set(type, readings);
  return readings;
}

export function fieldNamesOf(type: DtoClass): ReadonlySet<string> {
  return new Set(readingsOf(type).keys());
}

/** Requests choose the names, so their number and length are limited. */
const maxNames = 20;
const maxNameLength = 64;

const tolerantTypes = new Set<{ readonly name: string }>();

/** Unknown names are reported instead of refused. */
export function AllowUnknownFields(): ClassDecorator {
  return (type) => void tolerantTypes.add(type);
}

export function tolerantTypeNames(): ReadonlySet<string> {
  return new Set([...tolerantTypes].map(({ name }) => name));
}

export type RequestPart = 'query' | 'body';

/** Unknown names are dotted paths such as `media.0.foo` (rule HTTP-20). */
export interface ReadDto<T extends object = object> {
  readonly dto: T;
  readonly part: RequestPart;
  readonly ignored: readonly string[];
  readonly refused: readonly string[];
}

/**
 * Copies the known fields. Drops optional fields that are null, because many serializers write null for a missing
 * value (rule HTTP-9).
 */
export function readDto<T extends object>(
  type: DtoClass<T>,
  sent: object,
  part: RequestPart = 'body',
): ReadDto<T> {
  const names = { ignored: [], refused: [] };
  return { dto: readObject(type, sent, '', names), part, ...names };
}

/** Keyed by the part of the request that was read. */
const reads = new WeakMap<object, ReadDto>();
/** Keyed by the DTO; most requests have none. */
const refusals = new WeakMap<object, ReadDto>();

/** Keeps the reading for {@link readPart}, so that each part is read once. */
export function readAhead(type: DtoClass, sent: object, part: RequestPart): ReadDto {
  const known = reads.get(sent);
  if (known !== undefined) return known;
  const read = readDto(type, sent, part);
  reads.set(sent, read);
  return read;
}

/** Refuses unknown names also of a part that was not read ahead, such as the parameters of a path. */
export function readPart(type: DtoClass, sent: object): object {
  const read = reads.get(sent) ?? readDto(type, sent);
  if (read.refused.length > 0) refusals.set(read.dto, read);
  return read.dto;
}

/** Returns the reading of a DTO from {@link readPart} if it refuses names. */
export function refusalOf(dto: object): ReadDto | undefined {
  return refusals.get(dto);
}

interface UnknownNames {
  readonly ignored: string[];
  readonly refused: string[];
}

function readObject<T extends object>(
  type: DtoClass<T>,
  sent: object,
  parent: string,
  names: UnknownNames,
): T {
  const fields = readingsOf(type);
  const unknown = tolerantTypes.has(type) ? names.ignored : names.refused;
  const dto = new type();
  const values = dto as Record<string, unknown>;
  for (const [name, value] of Object.entries(sent)) {
    const field = fields.get(name);
    if (field === undefined) report(unknown, parent, name);
    else if (value !== null || field.keepsNull) {
      const { reading } = field;
      values[name] = reading ? readValue(reading, value, `${parent}${name}.`, names) : value;
    }
  }
  return dto;
}

function readValue(reading: Reading, value: unknown, path: string, names: UnknownNames): unknown {
  if ('parse' in reading) return reading.parse(value);
  if ('names' in reading) {
    if (!isPlainObject(value)) return value;
    for (const name of Object.keys(value)) {
      if (!reading.names.includes(name)) report(names.refused, path, name);
    }
    return Object.fromEntries(Object.entries(value).filter(([, item]) => item !== null));
  }
  const { type, maxItems } = reading;
  const readItem = (item: unknown, at: string) =>
    isPlainObject(item) ? readObject(type, item, at, names) : null;
  if (maxItems === undefined) return readItem(value, path) ?? value;
  if (!Array.isArray(value)) return value;
  // The length alone refuses the list: class-validator would validate all items, but it skips holes.
  if (value.length > maxItems) return Object.assign([], { length: maxItems + 1 });
  // class-validator would validate nested lists item by item.
  return value.map((item: unknown, index) => readItem(item, `${path}${index}.`));
}

function report(names: string[], parent: string, name: string): void {
  if (names.length < maxNames)
    names.push(`${parent}${name}`.slice(0, maxNameLength).toWellFormed());
}

/** Replaces characters that a header cannot contain, and commas (rules HTTP-20 and RES-7). */
export function ignoredFieldsValue(names: readonly string[]): string {
  const shown = names.map((name) => name.replaceAll(/[^ -~]|,/gu, '?').slice(0, maxNameLength));
  return shown.slice(0, maxNames).join(', ');
}

/** A plain or dotted identifier with few digits cannot be a phone, an email or a key. */
const identifierPath =
  /^[A-Z_](?:[A-Z_-]{0,39}\d{0,2})(?:\.(?:\d{1,4}|[A-Z_][A-Z_-]{0,39}\d{0,2}))*$/i;

export function isIdentifier(name: string): boolean {
  return identifierPath.test(name);
}
