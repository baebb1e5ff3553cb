import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isPlainObject } from '../../values/plain-object.js';
import { DomainError } from '../errors/domain-error.js';
import { httpErrors } from '../errors/http-errors.js';
import { setIgnoredFields } from '../server/ignored-fields.js';
import { declaredType } from './declared-types.js';
import type { DtoClass } from './field.js';
import { unknownNameMessages, unknownNames } from './unknown-names.js';

/** Stands for the query of an endpoint that reads nothing of it: no field is declared. */
const noQuery = Object as DtoClass;

/**
 * Reports which names of a request are ignored, and rejects parameters of an endpoint that has none
 * (rule HTTP-20). In other queries and in bodies the validation rejects, with what else is wrong.
 * A guard, because the handlers of interceptors cost every request more than the check.
 */
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
    setIgnoredFields(http.getResponse<FastifyReply>(), ignored);
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
