import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { DomainError } from '../errors/domain-error.js';
import { httpErrors } from '../errors/http-errors.js';
import { declaredType, type DtoClass, fieldNamesOf, itemsOf, allowedNestedKeys } from './field.js';
import type { LocalizedMessage } from '../../localization/messages.service.js';
import { isPlainObject } from '../../values/json.js';

/** Names come from requests, so their number and length are limited. */
const maxNames = 20;
const maxNameLength = 64;

const noQuery = Object as DtoClass;

/** Rule HTTP-20; validation rejects names of declared queries and bodies. A guard costs less than an interceptor. */
@Injectable()
export class UnknownNamesGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const http = context.switchToHttp();
    const { query, body } = http.getRequest<FastifyRequest>();
    const queryType = declaredType(context, 'query');
    if (queryType === undefined) rejectAll(query as object);
    const ignored = [
      ...ignoredNames(queryType, query),
      ...ignoredNames(declaredType(context, 'body'), body),
    ];
    if (ignored.length > 0) {
      const reply = http.getResponse<FastifyReply>();
      reply.header('x-ignored-fields', ignoredFieldsValue(ignored));
    }
    return true;
  }
}

function rejectAll(query: object): void {
  const messages = unknownNameMessages('query', noQuery, query);
  if (messages.length > 0) throw new DomainError(httpErrors.validationFailed, messages);
}

function ignoredNames(type: DtoClass | undefined, sent: unknown): readonly string[] {
  return type !== undefined && isPlainObject(sent) ? unknownNames(type, sent).ignored : [];
}

const tolerantTypes = new Set<{ readonly name: string }>();

/** Unknown names are ignored and reported instead of rejected. */
export function ToleratesUnknownNames(): ClassDecorator {
  return (type) => void tolerantTypes.add(type);
}

export function tolerantNames(): ReadonlySet<string> {
  return new Set([...tolerantTypes].map(({ name }) => name));
}

/** Names are dotted paths such as `cheques.0.foo` (rule HTTP-20). */
export interface UnknownNames {
  readonly rejected: readonly string[];
  readonly ignored: readonly string[];
}

const none: UnknownNames = { rejected: [], ignored: [] };

function unknownNames(type: DtoClass, sent: object): UnknownNames {
  if (Object.keys(sent).length === 0) return none;
  const found = [...namesIn(type, sent, '')];
  const reported = (isTolerated: boolean) =>
    found
      .filter((name) => name.isTolerated === isTolerated)
      .slice(0, maxNames)
      .map(({ path }) => path.slice(0, maxNameLength).toWellFormed());
  return { rejected: reported(false), ignored: reported(true) };
}

export function unknownNameMessages(
  place: 'query' | 'body',
  type: DtoClass,
  sent: object,
): LocalizedMessage[] {
  const key = `validation.${place === 'query' ? 'unknownParameter' : 'unknownField'}`;
  const { rejected } = unknownNames(type, sent);
  return rejected.map((property) => ({ key, values: { property } }));
}

interface UnknownName {
  readonly path: string;
  readonly isTolerated: boolean;
}

function* namesIn(type: DtoClass, sent: object, parent: string): Generator<UnknownName> {
  const known = fieldNamesOf(type);
  const isTolerated = tolerantTypes.has(type);
  for (const [name, value] of Object.entries(sent)) {
    const path = `${parent}${name}`;
    if (known.includes(name)) yield* namesInField(type, name, value, path);
    else yield { path, isTolerated };
  }
}

function* namesInField(
  type: DtoClass,
  field: string,
  value: unknown,
  path: string,
): Generator<UnknownName> {
  const items = itemsOf(type, field);
  const names = allowedNestedKeys(type, field);
  const isList = Array.isArray(value);
  const maxItems = items?.maxItems ?? null;
  // It is rejected for its length.
  if (isList && maxItems !== null && value.length > maxItems) return;
  for (const [object, prefix] of objectsIn(value, path)) {
    if (items !== undefined && isList === (maxItems !== null))
      yield* namesIn(items.type, object, prefix);
    if (names === undefined) continue;
    for (const name of Object.keys(object)) {
      if (!names.includes(name)) yield { path: `${prefix}${name}`, isTolerated: false };
    }
  }
}

function objectsIn(value: unknown, path: string): (readonly [object, string])[] {
  if (isPlainObject(value)) return [[value, `${path}.`]];
  if (!Array.isArray(value)) return [];
  return value.flatMap((item: unknown, index) =>
    isPlainObject(item) ? [[item, `${path}.${index}.`] as const] : [],
  );
}

/** Letters with few digits, possibly a path: no phone, no email, no key. */
const identifierPath =
  /^[A-Z_](?:[A-Z_-]{0,39}\d{0,2})(?:\.(?:\d{1,4}|[A-Z_][A-Z_-]{0,39}\d{0,2}))*$/i;

export function isIdentifier(name: string): boolean {
  return identifierPath.test(name);
}

export function loggedIgnoredFields(reply: FastifyReply): string[] | undefined {
  const names = reply.getHeader('x-ignored-fields');
  return typeof names === 'string' ? names.split(', ').filter(isIdentifier) : undefined;
}

/** Rules HTTP-20 and RES-7. */
export function ignoredFieldsValue(names: readonly string[]): string {
  const shown = names.map((name) => name.replaceAll(/[^ -~]|,/gu, '?').slice(0, maxNameLength));
  return shown.slice(0, maxNames).join(', ');
}
