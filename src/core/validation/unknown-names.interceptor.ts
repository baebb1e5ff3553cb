import {
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
} from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Observable } from 'rxjs';
import { routeOptionsOf } from '../http/server/route-options.js';
import { isPlainObject } from '../values/json.js';
import {
  AllowUnknownFields,
  type DtoClass,
  ignoredFieldsValue,
  readAhead,
  readDto,
} from './dto-reader.js';
import { declaredType } from './request-parts.js';
import { assertKnown } from './validate-dto.js';

const noNames: readonly string[] = [];

const NoParameters = Object as DtoClass;

/** Proxies, probes and campaigns add parameters to requests that do not filter (rule HTTP-20). */
@AllowUnknownFields()
class AnyParameters {}

/** Sets the header before the handler runs, which may store its response for an `Idempotency-Key` or fail. */
@Injectable()
export class UnknownNamesInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const parameters = ignoredParameters(context, request);
    const fields = ignoredFields(context, request);
    if (parameters.length + fields.length > 0) {
      const value = ignoredFieldsValue([...parameters, ...fields]);
      http.getResponse<FastifyReply>().header('x-ignored-fields', value);
    }
    return next.handle();
  }
}

function ignoredFields(context: ExecutionContext, { body }: FastifyRequest): readonly string[] {
  const type = declaredType(context, 'body');
  return type !== undefined && isPlainObject(body)
    ? readAhead(type, body, 'body').ignored
    : noNames;
}

/** @throws DomainError 400 for a parameter of a read that declares none */
function ignoredParameters(context: ExecutionContext, request: FastifyRequest): readonly string[] {
  const query = request.query as object;
  const type = declaredType(context, 'query');
  if (type !== undefined) return readAhead(type, query, 'query').ignored;
  if (Object.keys(query).length === 0) return noNames;
  const { isPublic = false } = routeOptionsOf(request);
  const isStrict = ['GET', 'HEAD'].includes(request.method) && !isPublic;
  const read = readDto(isStrict ? NoParameters : AnyParameters, query, 'query');
  assertKnown(read);
  return read.ignored;
}
