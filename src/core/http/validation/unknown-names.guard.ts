import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { ROUTE_ARGS_METADATA, RouteParamtypes } from '@nestjs/common/internal';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isPlainObject } from '../../values/plain-object.js';
import { DomainError } from '../errors/domain-error.js';
import { httpErrors } from '../errors/http-errors.js';
import { setIgnoredFields } from '../server/ignored-fields.js';
import type { DtoClass } from './field.js';
import { unknownNameMessages, unknownNames } from './unknown-names.js';

/** Stands for the query of an endpoint that reads nothing of it: no field is declared. */
const noQuery = Object as DtoClass;

/** The classes of an endpoint's parameters that take the query and the body. */
interface DeclaredTypes {
  readonly query: DtoClass | undefined;
  readonly body: DtoClass | undefined;
}

/**
 * Reports which names of a request are ignored, and rejects parameters of an endpoint that has none
 * (rule HTTP-20). In other queries and in bodies the validation rejects, with what else is wrong.
 * A guard, because the handlers of interceptors cost every request more than the check.
 */
@Injectable()
export class UnknownNamesGuard implements CanActivate {
  private readonly declared = new WeakMap<object, DeclaredTypes>();

  canActivate(context: ExecutionContext): boolean {
    const http = context.switchToHttp();
    const { query, body } = http.getRequest<FastifyRequest>();
    const declared = this.typesOf(context);
    if (declared.query === undefined) rejectAll(query as object);
    const ignored = [...ignoredNames(declared.query, query), ...ignoredNames(declared.body, body)];
    setIgnoredFields(http.getResponse<FastifyReply>(), ignored);
    return true;
  }

  private typesOf(context: ExecutionContext): DeclaredTypes {
    const handler = context.getHandler();
    const known = this.declared.get(handler);
    if (known !== undefined) return known;
    const types = {
      query: declaredType(context, RouteParamtypes.QUERY),
      body: declaredType(context, RouteParamtypes.BODY),
    };
    this.declared.set(handler, types);
    return types;
  }
}

function rejectAll(query: object): void {
  const messages = unknownNameMessages('query', noQuery, query);
  if (messages.length > 0) throw new DomainError(httpErrors.validationFailed, messages);
}

function ignoredNames(type: DtoClass | undefined, sent: unknown): readonly string[] {
  return type !== undefined && isPlainObject(sent) ? unknownNames(type, sent).ignored : [];
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
