import {
  type CallHandler,
  type ExecutionContext,
  Inject,
  Injectable,
  type NestInterceptor,
} from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { type Observable, throwError, timeout } from 'rxjs';
import { ENVIRONMENT, type Environment } from '../../configuration/environment.js';
import { DatabaseUnavailableError } from '../../database/connection/database-errors.js';
import { remainingDeadline } from './request-context.js';

/** Responds with 503 to a request that waited too long for the database (rule HTTP-12). */
@Injectable()
export class RequestDeadlineInterceptor implements NestInterceptor {
  constructor(@Inject(ENVIRONMENT) private readonly environment: Environment) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    return next.handle().pipe(
      timeout({
        first: remainingDeadline(request, this.environment.DATABASE_DEADLINE_MS),
        with: () => throwError(() => new DatabaseUnavailableError()),
      }),
    );
  }
}
