import { Module } from '@nestjs/common';
import { APP_GUARD, APP_PIPE } from '@nestjs/core';
import { ResponseCache } from '../cache/response-cache.js';
import { ResponseStreams } from './lists/response-streams.js';
import { ErrorsModule } from './errors/errors.module.js';
import { RequestRates } from './rate-limit/request-rates.js';
import { UnsentResponses } from './rate-limit/unsent-responses.js';
import { FrameworkLogger } from './server/framework-logger.js';
import { UnknownNamesGuard } from './validation/unknown-names.js';
import { RequestValidationPipe } from './validation/validation.pipe.js';

/** What every endpoint has in common. */
@Module({
  imports: [ErrorsModule],
  providers: [
    ResponseStreams,
    FrameworkLogger,
    RequestRates,
    UnsentResponses,
    ResponseCache,
    { provide: APP_PIPE, useClass: RequestValidationPipe },
    { provide: APP_GUARD, useClass: UnknownNamesGuard },
  ],
  exports: [ResponseStreams, FrameworkLogger],
})
export class HttpModule {}
