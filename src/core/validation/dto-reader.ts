import { plainToInstance } from 'class-transformer';
import { Allow, getMetadataStorage, IS_OPTIONAL } from 'class-validator';
import { isPlainObject } from '../values/json.js';

export type DtoClass<T extends object = object> = new () => T;

/** A list of objects has `maxItems`; a single object has null. Objects with `names` keep their other values. */
type Nested =
  | { readonly type: DtoClass; readonly maxItems: number | null }
  | { readonly names: readonly string[] };

interface FieldReading {
  readonly keepsNull: boolean;
  readonly nested: Nested | undefined;
}

/** Tells the reader what a field contains; class-validator's own metadata has it, so that mapped types inherit it. */
export function ReadNested(nested: Nested): PropertyDecorator {
  return Allow({ context: { nested } });
}

const readingsByType = new WeakMap<DtoClass, ReadonlyMap<string, FieldReading>>();

/** Returns the fields in the order of declaration. */
function readingsOf(type: DtoClass): ReadonlyMap<string, FieldReading> {
  const known = readingsByType.get(type);
  if (known !== undefined) return known;
  const rules = getMetadataStorage().getTargetValidationMetadatas(type, '', false, false);
  const readings = new Map<string, FieldReading>();
  for (const [field, ofField] of Map.groupBy(rules, ({ propertyName }) => propertyName)) {
    const contexts = ofField.map(({ context }) => context as { nested?: Nested } | undefined);
    const keepsNull = !ofField.some(({ name }) => name === IS_OPTIONAL);
    readings.set(field, { keepsNull, nested: contexts.find((one) => one?.nested)?.nested });
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

/** Unknown names are reported instead of rejected. */
export function AllowUnknownFields(): ClassDecorator {
  return (type) => void tolerantTypes.add(type);
}

export function tolerantTypeNames(): ReadonlySet<string> {
  return new Set([...tolerantTypes].map(({ name }) => name));
}

export type RequestPart = 'query' | 'body';

/** Unknown names are dotted paths such as `cheques.0.foo` (rule HTTP-20). */
export interface ReadDto<T extends object = object> {
  readonly dto: T;
  readonly part: RequestPart;
  readonly ignored: readonly string[];
  readonly rejected: readonly string[];
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
  const names = { ignored: [], rejected: [] };
  return { dto: readObject(type, sent, '', names), part, ...names };
}

const reads = new WeakMap<object, ReadDto>();

/** Reads a part of a request only once: the interceptor reports ignored names, the pipe validates the DTO. */
export function readOnce(type: DtoClass, sent: object, part?: RequestPart): ReadDto {
  const known = reads.get(sent);
  if (known !== undefined) return known;
  const read = readDto(type, sent, part);
  reads.set(sent, read).set(read.dto, read);
  return read;
}

/** Returns the result of {@link readOnce} for its DTO. */
export function readingOf(dto: object): ReadDto | undefined {
  return reads.get(dto);
}

interface UnknownNames {
  readonly ignored: string[];
  readonly rejected: string[];
}

/** Keeps free-form objects: class-transformer would walk them and drop keys such as `constructor`. */
function readObject<T extends object>(
  type: DtoClass<T>,
  sent: object,
  parent: string,
  names: UnknownNames,
): T {
  const fields = readingsOf(type);
  const unknown = tolerantTypes.has(type) ? names.ignored : names.rejected;
  const values = new Map<string, unknown>();
  for (const [name, value] of Object.entries(sent)) {
    const field = fields.get(name);
    if (field === undefined) report(unknown, parent, name);
    else if (value !== null || field.keepsNull) {
      values.set(
        name,
        field.nested ? readNested(field.nested, value, `${parent}${name}.`, names) : value,
      );
    }
  }
  const scalars: Record<string, unknown> = {};
  const objects: Record<string, unknown> = {};
  for (const name of fields.keys()) {
    if (!values.has(name)) continue;
    const value = values.get(name);
    (typeof value === 'object' && value !== null ? objects : scalars)[name] = value;
  }
  return Object.assign(plainToInstance(type, scalars), objects);
}

function readNested(nested: Nested, value: unknown, path: string, names: UnknownNames): unknown {
  if ('names' in nested) {
    if (!isPlainObject(value)) return value;
    for (const name of Object.keys(value)) {
      if (!nested.names.includes(name)) report(names.rejected, path, name);
    }
    return Object.fromEntries(Object.entries(value).filter(([, item]) => item !== null));
  }
  const { type: itemType, maxItems } = nested;
  const readItem = (item: unknown, at: string) =>
    isPlainObject(item) ? readObject(itemType, item, at, names) : null;
  if (maxItems === null) return readItem(value, path) ?? value;
  if (!Array.isArray(value)) return value;
  // The length alone rejects the list: class-validator would validate all items, but it skips holes.
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
