import { join } from 'node:path';
import { Logger, Module } from '@nestjs/common';
import { I18nJsonLoader, I18nService } from 'nestjs-i18n';
import { BehaviorSubject } from 'rxjs';
import { defaultLanguage } from './language.js';
import { Messages } from './messages.js';

/**
 * The message catalogues. The library's own module would run a middleware and an interceptor for
 * every request; texts are needed for refused ones only, so its service is made by hand.
 */
@Module({
  providers: [{ provide: I18nService, useFactory: loadCatalogues }, Messages],
  exports: [Messages],
})
export class LocalizationModule {}

async function loadCatalogues(): Promise<I18nService> {
  const languages = new BehaviorSubject<string[]>([]);
  const translations = new BehaviorSubject({});
  const service = new I18nService(
    { fallbackLanguage: defaultLanguage },
    translations,
    languages,
    new Logger('I18nService'),
    [new I18nJsonLoader({ path: join(import.meta.dirname, 'catalogues'), watch: false })],
    languages,
    translations,
  );
  await service.refresh();
  return service;
}
