import {
  type ArgumentMetadata,
  type CallHandler,
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
import { AllowUnknownFields, DtoReader, ignoredFieldsValue } from './dto-reader.js';
import { declaredType, type DtoClass } from './dto-field.js';

const noParameters = Object as DtoClass;

/** Proxies, probes and campaigns add parameters to requests that do not filter (rule HTTP-20). */
@AllowUnknownFields()
class AnyParameters {}

/** Also reports ignored names of requests that fail later. */
@Injectable()
export class UnknownNamesInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const { method, query, body } = request;
    const [queryType, bodyType] = [declaredType(context, 'query'), declaredType(context, 'body')];
    const { isPublic = false } = routeOptionsOf(request);
    const isStrict = ['GET', 'HEAD'].includes(method) && !isPublic;
    const parameters = queryType ?? (isStrict ? noParameters : AnyParameters);
    const ofQuery = new DtoReader(parameters, query as object);
    if (queryType === undefined) throwIfAny(ofQuery.messages('query'));
    const ofBody = bodyType && isPlainObject(body) ? new DtoReader(bodyType, body).ignored : [];
    const ignored = [...ofQuery.ignored, ...ofBody];
    if (ignored.length > 0) {
      const reply = http.getResponse<FastifyReply>();
      reply.header('x-ignored-fields', ignoredFieldsValue(ignored));
    }
    return next.handle();
  }
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
