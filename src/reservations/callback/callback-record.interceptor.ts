import {
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
} from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { catchError, type Observable } from 'rxjs';
import { DomainError } from '../../http/errors/domain-error.js';
import { CallbackRecords } from './callback-records.js';

/** Records callbacks whose body was refused; the others are recorded with what they changed. */
@Injectable()
export class CallbackRecordInterceptor implements NestInterceptor {
  constructor(private readonly records: CallbackRecords) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const { caller, id, body } = context.switchToHttp().getRequest<FastifyRequest>();
    return next.handle().pipe(
      catchError(async (error: unknown) => {
        if (caller !== undefined && error instanceof DomainError && error.status === 400) {
          await this.records.addFailed(caller, sentCallback(id, body), error);
        }
        throw error;
      }),
    );
  }
}

/** What is recorded of a request: an object, whatever its body is. */
export function sentCallback(requestId: string, body: unknown) {
  const isObject = typeof body === 'object' && body !== null && !Array.isArray(body);
  return { requestId, payload: isObject ? body : { body } };
}
