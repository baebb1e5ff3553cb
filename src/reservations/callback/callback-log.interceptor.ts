import {
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
} from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { catchError, type Observable } from 'rxjs';
import { DomainError } from '../../core/http/errors/domain-error.js';
import { callbackRecord } from './callback-record.js';
import { CallbacksService } from './callbacks.service.js';

/** Logs callbacks with an invalid body; the others are logged with what they changed. */
@Injectable()
export class CallbackLogInterceptor implements NestInterceptor {
  constructor(private readonly callbacks: CallbacksService) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const { caller } = request;
    return next.handle().pipe(
      catchError(async (error: unknown) => {
        if (caller !== undefined && error instanceof DomainError && error.status === 400) {
          await this.callbacks.logFailed(caller, callbackRecord(request), error);
        }
        throw error;
      }),
    );
  }
}
