import {
  type ArgumentMetadata,
  type CallHandler,
  type CanActivate,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
  type PipeTransform,
} from '@nestjs/common';
import { validateSync, type ValidationError } from 'class-validator';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Observable } from 'rxjs';
import type { LocalizedMessage } from '../../localization/messages.service.js';
import { isPlainObject } from '../../values/json.js';
import { DomainError } from '../errors/domain-error.js';
import { httpErrors } from '../errors/http-errors.js';
import { routeOptionsOf } from '../server/route-options.js';
import { DtoReader, ignoredFieldsValue, unknownParameters } from './dto-reader.js';
import { declaredType, type DtoClass } from './dto-field.js';

/**
 * Judges query parameters of routes that declare none. Proxies, probes and campaigns add some to requests that do not
 * filter (rule HTTP-20).
 */
@Injectable()
export class UnknownParametersGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const names = Object.keys(request.query as object);
    if (names.length === 0 || declaredType(context, 'query') !== undefined) return true;
    const isRead = ['GET', 'HEAD'].includes(request.method);
    if (isRead && routeOptionsOf(request).isPublic !== true) throwIfAny(unknownParameters(names));
    setIgnoredFields(http.getResponse<FastifyReply>(), names);
    return true;
  }
}

/** Also reports ignored names of requests that fail later. */
@Injectable()
export class IgnoredNamesInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const http = context.switchToHttp();
    const { query, body } = http.getRequest<FastifyRequest>();
    const [queryType, bodyType] = [declaredType(context, 'query'), declaredType(context, 'body')];
    const reply = http.getResponse<FastifyReply>();
    const ofQuery =
      queryType === undefined ? [] : new DtoReader(queryType, query as object).ignored;
    const ofBody = bodyType && isPlainObject(body) ? new DtoReader(bodyType, body).ignored : [];
    setIgnoredFields(reply, [...ofQuery, ...ofBody]);
    return next.handle();
  }
}

/** Adds to the names that are set already. */
function setIgnoredFields(reply: FastifyReply, names: readonly string[]): void {
  if (names.length === 0) return;
  const before = reply.getHeader('x-ignored-fields');
  const all = typeof before === 'string' ? [...before.split(', '), ...names] : names;
  reply.header('x-ignored-fields', ignoredFieldsValue(all));
}

/** One response lists all broken rules and unknown names (rules HTTP-5 and HTTP-20). */
@Injectable()
export class RequestValidationPipe implements PipeTransform {
  transform(value: unknown, { type, metatype }: ArgumentMetadata): unknown {
    if (type === 'custom') return value;
    if (type === 'body' && !isPlainObject(value))
      throw new DomainError(httpErrors.bodyMustBeObject);
    const part = type === 'query' ? 'query' : 'body';
    const { dto, messages } = validatedDto(metatype as DtoClass, value as object, part);
    throwIfAny(messages);
    return dto;
  }
}

export function validatedDto(
  type: DtoClass,
  sent: object,
  part: 'query' | 'body' = 'body',
): { readonly dto: object; readonly messages: readonly LocalizedMessage[] } {
  const reader = new DtoReader(type, sent);
  const messages = [...reader.messages(part), ...brokenRules(reader.dto)];
  return { dto: reader.dto, messages: distinct(messages) };
}

/** @throws DomainError 400 with one message per broken rule (rule HTTP-5) */
export function assertValid(dto: object): void {
  throwIfAny(distinct(brokenRules(dto)));
}

function throwIfAny(messages: readonly LocalizedMessage[]): void {
  if (messages.length > 0) throw new DomainError(httpErrors.validationFailed, messages);
}

/** A field that may be sent in two places has one name, so its messages repeat. */
function distinct(messages: readonly LocalizedMessage[]): LocalizedMessage[] {
  return [...new Map(messages.map((message) => [JSON.stringify(message), message])).values()];
}

function brokenRules(dto: object): LocalizedMessage[] {
  const errors = validateSync(dto, { forbidUnknownValues: false });
  return errors.flatMap((error) => messagesOf(error));
}

const nestedValidation = 'nestedValidation';

function messagesOf(
  { property: field, ...error }: ValidationError,
  parent = '',
): LocalizedMessage[] {
  const property = `${parent}${field}`;
  const contexts: Record<string, LocalizedMessage['values']> = error.contexts ?? {};
  const broken = Object.entries(error.constraints ?? {});
  // A value that is not a list is reported once, not also as a non-object.
  const rules = broken.length === 1 ? broken : broken.filter(([rule]) => rule !== nestedValidation);
  const own = rules.map(([rule, message]) => ({
    key: `validation.${message}`,
    values: { property, ...contexts[rule] },
  }));
  const nested = error.children?.flatMap((child) => messagesOf(child, `${property}.`)) ?? [];
  return [...own, ...nested];
}
