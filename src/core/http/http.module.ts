import { Global, Module } from '@nestjs/common';
import { APP_FILTER, APP_INTERCEPTOR, APP_PIPE } from '@nestjs/core';
import { ResponseCache } from '../cache/response-cache.js';
import { LocalizationModule } from '../localization/localization.module.js';
import { ErrorResponses } from './errors/error-responses.js';
import { ResponseStreams } from './lists/response-streams.js';
import { RateLimiter } from './rate-limit/rate-limiter.js';
import { UnsentResponseLimiter } from './rate-limit/unsent-response-limiter.js';
import { RequestDeadline } from './server/request-deadline.js';
import { RequestValidationPipe } from '../validation/request-validation.pipe.js';
import { UnknownNamesInterceptor } from '../validation/unknown-names.interceptor.js';

@Global()
@Module({
  imports: [LocalizationModule],
  providers: [
    ErrorResponses,
    { provide: APP_FILTER, useExisting: ErrorResponses },
    ResponseStreams,
    RequestDeadline,
    RateLimiter,
    UnsentResponseLimiter,
    ResponseCache,
    { provide: APP_PIPE, useClass: RequestValidationPipe },
    { provide: APP_INTERCEPTOR, useClass: UnknownNamesInterceptor },
  ],
  exports: [ErrorResponses, LocalizationModule, RequestDeadline, ResponseStreams],
})
export class HttpModule {}
