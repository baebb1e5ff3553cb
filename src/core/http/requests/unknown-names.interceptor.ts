import {
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
} from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Observable } from 'rxjs';
import { isPlainObject } from '../../values/json.js';
import { ignoredFieldsValue, readAhead, type RequestPart } from '../../validation/dto-reader.js';
import { declaredType } from '../../validation/request-parts.js';

const noNames: readonly string[] = [];

/** Names what a tolerant DTO ignored, even if the request fails later (rule HTTP-20). */
@Injectable()
export class UnknownNamesInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const names = [...ignoredIn('query', context, request), ...ignoredIn('body', context, request)];
    if (names.length > 0) {
      const reply = http.getResponse<FastifyReply>();
      const before = reply.getHeader('x-ignored-fields');
      const earlier = typeof before === 'string' ? before.split(', ') : [];
      reply.header('x-ignored-fields', ignoredFieldsValue([...earlier, ...names]));
    }
    return next.handle();
  }
}

function ignoredIn(
  part: RequestPart,
  context: ExecutionContext,
  { [part]: sent }: FastifyRequest,
): readonly string[] {
  const type = declaredType(context, part);
  return type && isPlainObject(sent) ? readAhead(type, sent, part).ignored : noNames;
}
