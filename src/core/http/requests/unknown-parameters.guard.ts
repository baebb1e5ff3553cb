import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { routeOptionsOf } from './route-options.js';
import {
  AllowUnknownFields,
  type DtoClass,
  ignoredFieldsValue,
  readDto,
} from '../../validation/dto-reader.js';
import { declaredType } from '../../validation/request-parts.js';
import { assertKnown } from '../../validation/validate-dto.js';

const NoParameters = Object as DtoClass;

/** Proxies, probes and campaigns add parameters to requests that do not filter (rule HTTP-20). */
@AllowUnknownFields()
class AnyParameters {}

/** Judges the parameters of routes that declare none. A guard costs less than an interceptor. */
@Injectable()
export class UnknownParametersGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const query = request.query as object;
    if (Object.keys(query).length === 0 || declaredType(context, 'query')) return true;
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    const isStrict = isRead && routeOptionsOf(request).isPublic !== true;
    const read = readDto(isStrict ? NoParameters : AnyParameters, query, 'query');
    assertKnown(read);
    const value = ignoredFieldsValue(read.ignored);
    http.getResponse<FastifyReply>().header('x-ignored-fields', value);
    return true;
  }
}
