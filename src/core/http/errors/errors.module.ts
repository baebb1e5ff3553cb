import { Global, Module } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { LocalizationModule } from '../../localization/localization.module.js';
import { ErrorFilter } from './error.filter.js';
import { ErrorResponses } from './error-responses.js';

/** Gives every module the texts and the responses to errors. */
@Global()
@Module({
  imports: [LocalizationModule],
  providers: [ErrorResponses, ErrorFilter, { provide: APP_FILTER, useExisting: ErrorFilter }],
  exports: [ErrorFilter, ErrorResponses, LocalizationModule],
})
export class ErrorsModule {}
