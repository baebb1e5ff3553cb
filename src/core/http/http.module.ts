import { Global, Module } from '@nestjs/common';
import { APP_FILTER, APP_PIPE } from '@nestjs/core';
import { ErrorResponses } from '../errors/error-responses.js';
import { ResponseStreams } from './responses/response-streams.js';
import { RateLimitGuard } from './rate-limit/rate-limit.guard.js';
import { RequestDeadline } from './requests/request-deadline.js';
import { RequestValidationPipe } from '../validation/request-validation.pipe.js';
import { UnknownParametersGuard } from './requests/unknown-parameters.guard.js';

const shared = [
  ErrorResponses,
  ResponseStreams,
  RequestDeadline,
  RateLimitGuard,
  UnknownParametersGuard,
];

@Global()
@Module({
  providers: [
    ...shared,
    { provide: APP_FILTER, useExisting: ErrorResponses },
    { provide: APP_PIPE, useClass: RequestValidationPipe },
  ],
  exports: shared,
})
export class HttpModule {}
