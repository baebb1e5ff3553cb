import {
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
} from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { type Observable, tap } from 'rxjs';

export interface UpsertResult {
  readonly operation: 'create' | 'update';
}

/** The status of the response to an upsert. */
export function upsertStatus(operation: UpsertResult['operation']): number {
  return operation === 'create' ? 201 : 200;
}

/** Responds with 201 to what created and with 200 to what updated. */
@Injectable()
export class UpsertStatusInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler<UpsertResult>): Observable<UpsertResult> {
    const reply = context.switchToHttp().getResponse<FastifyReply>();
    return next.handle().pipe(
      tap(({ operation }) => {
        // The deadline may have answered; the log would take this status for the one that was sent.
        if (!reply.sent) void reply.status(upsertStatus(operation));
      }),
    );
  }
}
