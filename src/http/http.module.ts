import { Module } from '@nestjs/common';
import { APP_FILTER, APP_INTERCEPTOR, APP_PIPE } from '@nestjs/core';
import { ResponseStreams } from './lists/response-streams.js';
import { ErrorFilter } from './errors/error.filter.js';
import { RequestRates } from './rate-limit/request-rates.js';
import { FrameworkLogger } from './server/framework-logger.js';
import { RequestDeadlineInterceptor } from './server/request-deadline.interceptor.js';
import { UnknownNamesInterceptor } from './validation/unknown-names.interceptor.js';
import { RequestValidationPipe } from './validation/validation.pipe.js';

/** What every endpoint has in common. */
@Module({
  providers: [
    ResponseStreams,
    FrameworkLogger,
    RequestRates,
    { provide: APP_FILTER, useClass: ErrorFilter },
    { provide: APP_PIPE, useClass: RequestValidationPipe },
    { provide: APP_INTERCEPTOR, useClass: RequestDeadlineInterceptor },
    { provide: APP_INTERCEPTOR, useClass: UnknownNamesInterceptor },
  ],
  exports: [ResponseStreams, FrameworkLogger],
})
export class HttpModule {}
