import { Module } from '@nestjs/common';
import { APP_FILTER, APP_INTERCEPTOR, APP_PIPE } from '@nestjs/core';
import { AnswerStreams } from './lists/answer-streams.js';
import { ErrorFilter } from './errors/error.filter.js';
import { FrameworkLogger } from './server/framework-logger.js';
import { RequestDeadlineInterceptor } from './server/request-deadline.interceptor.js';
import { RequestValidationPipe } from './validation/validation.pipe.js';

/** What every endpoint has in common. */
@Module({
  providers: [
    AnswerStreams,
    FrameworkLogger,
    { provide: APP_FILTER, useClass: ErrorFilter },
    { provide: APP_PIPE, useClass: RequestValidationPipe },
    { provide: APP_INTERCEPTOR, useClass: RequestDeadlineInterceptor },
  ],
  exports: [AnswerStreams, FrameworkLogger],
})
export class HttpModule {}
