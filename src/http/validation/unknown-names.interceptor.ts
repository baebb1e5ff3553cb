import {
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
} from '@nestjs/common';
import { ROUTE_ARGS_METADATA, RouteParamtypes } from '@nestjs/common/internal';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Observable } from 'rxjs';
import { isPlainObject } from '../../values/plain-object.js';
import { DomainError } from '../errors/domain-error.js';
import { httpErrors } from '../errors/http-errors.js';
import { setIgnoredFields } from '../server/ignored-fields.js';
import type { DtoClass } from './field.js';
import { unknownNameMessages, unknownNames } from './unknown-names.js';

/** Stands for the query of an endpoint that reads nothing of it: no field is declared. */
const noQuery = Object as DtoClass;

/**
 * Reports which names of a request are ignored, and rejects parameters of an endpoint that has none
 * (rule HTTP-20). In other queries and in bodies the validation rejects, with what else is wrong.
 */
@Injectable()
export class UnknownNamesInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const http = context.switchToHttp();
    const { query, body } = http.getRequest<FastifyRequest>();
    const queryType = declaredType(context, RouteParamtypes.QUERY);
    const bodyType = declaredType(context, RouteParamtypes.BODY);
    if (queryType === undefined) rejectAll(query as object);
    const ignored = [[queryType, query] as const, [bodyType, body] as const].flatMap(
      ([type, sent]) =>
        type !== undefined && isPlainObject(sent) ? unknownNames(type, sent).ignored : [],
    );
    setIgnoredFields(http.getResponse<FastifyReply>(), ignored);
    return next.handle();
  }
}

function rejectAll(query: object): void {
  const messages = unknownNameMessages('query', noQuery, query);
  if (messages.length > 0) throw new DomainError(httpErrors.validationFailed, messages);
}

/** The class of the handler's parameter that takes the query or the body. */
function declaredType(context: ExecutionContext, kind: RouteParamtypes): DtoClass | undefined {
  const controller = context.getClass();
  const { name } = context.getHandler();
  const parameters = (Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, name) ?? {}) as Readonly<
    Record<string, { readonly index: number }>
  >;
  const found = Object.entries(parameters).find(([key]) => key.startsWith(`${kind}:`));
  if (found === undefined) return undefined;
  const { prototype } = controller as { prototype: object };
  const types = Reflect.getMetadata('design:paramtypes', prototype, name) as readonly DtoClass[];
  return types[found[1].index];
}
