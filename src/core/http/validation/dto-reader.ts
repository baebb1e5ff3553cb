import { plainToInstance } from 'class-transformer';
import type { LocalizedMessage } from '../../localization/messages.service.js';
import { isPlainObject } from '../../values/json.js';
import { type DtoClass, fieldNamesOf, judgesNull, nestedTypeOf } from './dto-field.js';

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

/**
 * Collects unknown names as dotted paths such as `cheques.0.foo` (rule HTTP-20). Drops optional fields that are null,
 * because many serializers write null for a missing value (rule HTTP-9).
 */
export class DtoReader<T extends object = object> {
  readonly dto: T;
  readonly ignored: string[] = [];
  private readonly rejected: string[] = [];

  constructor(type: DtoClass<T>, sent: object) {
    this.dto = this.read(type, sent, '');
  }

  messages(part: 'query' | 'body'): LocalizedMessage[] {
    if (part === 'query') return unknownParameters(this.rejected);
    const key = 'validation.unknownField';
    return this.rejected.map((property) => ({ key, values: { property } }));
  }

  /** Copies objects and lists: class-transformer would walk them and drop keys such as `constructor`. */
  private read<D extends object>(type: DtoClass<D>, sent: object, parent: string): D {
    const fields = fieldNamesOf(type);
    const values = new Map<string, unknown>();
    for (const [name, value] of Object.entries(sent)) {
      const path = `${parent}${name}`;
      if (!fields.includes(name)) this.report(path, tolerantTypes.has(type));
      else if (value !== null || judgesNull(type, name)) {
        values.set(name, this.readField(type, name, value, path));
      }
    }
    const scalars: Record<string, unknown> = {};
    const objects: Record<string, unknown> = {};
    for (const field of fields.filter((name) => values.has(name))) {
      const value = values.get(field);
      (typeof value === 'object' && value !== null ? objects : scalars)[field] = value;
    }
    return Object.assign(plainToInstance(type, scalars), objects);
  }

  private readField(type: DtoClass, field: string, value: unknown, path: string): unknown {
    const nested = nestedTypeOf(type, field);
    if (nested === undefined) return value;
    if ('names' in nested) {
      if (!isPlainObject(value)) return value;
      for (const name of Object.keys(value)) {
        if (!nested.names.includes(name)) this.report(`${path}.${name}`, false);
      }
      return Object.fromEntries(Object.entries(value).filter(([, item]) => item !== null));
    }
    const { type: itemType, maxItems } = nested;
    const item = (object: unknown, at: string) =>
      isPlainObject(object) ? this.read(itemType, object, `${at}.`) : null;
    if (maxItems === null) return item(value, path) ?? value;
    if (!Array.isArray(value)) return value;
    // The length alone rejects the list; validating all items would block the process.
    if (value.length > maxItems) return Array.from({ length: maxItems + 1 }, () => ({}));
    // class-validator would validate nested lists item by item.
    return value.map((object: unknown, index) => item(object, `${path}.${index}`));
  }

  private report(path: string, isTolerated: boolean): void {
    const names = isTolerated ? this.ignored : this.rejected;
    if (names.length < maxNames) names.push(path.slice(0, maxNameLength).toWellFormed());
  }
}

export function unknownParameters(names: readonly string[]): LocalizedMessage[] {
  const key = 'validation.unknownParameter';
  return names.slice(0, maxNames).map((name) => {
    return { key, values: { property: name.slice(0, maxNameLength).toWellFormed() } };
  });
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
