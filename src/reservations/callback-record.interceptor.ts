import {
  type CallHandler,
  type ExecutionContext,
  Injectable,
  Logger,
  type NestInterceptor,
} from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { catchError, type Observable } from 'rxjs';
import { errorResponse, toDomainError } from '../http/error-response.js';
import { Messages } from '../localization/messages.js';
import { CallbackRecords } from './callback-records.js';

/**
 * Records callbacks that never reached a transaction, or whose transaction failed: refused input and
 * faults. The others are recorded with what they changed.
 */
@Injectable()
export class CallbackRecordInterceptor implements NestInterceptor {
  private readonly logger = new Logger(CallbackRecordInterceptor.name);

  constructor(
    private readonly records: CallbackRecords,
    private readonly messages: Messages,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    return next.handle().pipe(
      catchError(async (error: unknown) => {
        await this.record(request, error);
        throw error;
      }),
    );
  }

  private async record({ caller, id, body, language }: FastifyRequest, error: unknown) {
    const refusal = toDomainError(error);
    const isRecorded = refusal.options.headers?.['x-callback-cheque'] !== undefined;
    const isDatabaseGone = refusal.status === 503;
    if (caller === undefined || isRecorded || isDatabaseGone) return;
    const { message } = errorResponse(refusal, language, (...args) =>
      this.messages.text(...args),
    ).body;
    try {
      await this.records.add(caller, {
        requestId: id,
        payload: isObject(body) ? body : { body },
        outcome: {
          status: refusal.status,
          messages: [message].flat(),
          reservation: 'unchanged',
          cheque: 'none',
        },
      });
    } catch (failure) {
      this.logger.warn({ err: failure }, 'A refused callback could not be recorded');
    }
  }
}

function isObject(body: unknown): body is object {
  return typeof body === 'object' && body !== null && !Array.isArray(body);
}
