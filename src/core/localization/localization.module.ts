import { join } from 'node:path';
import { Module, type Provider } from '@nestjs/common';
import { APP_INTERCEPTOR } from '@nestjs/core';
import { I18nJsonLoader, I18nModule } from 'nestjs-i18n';
import { defaultLanguage, requestLanguage } from './language.js';
import { MessagesService } from './messages.service.js';

export const messageFiles = new I18nJsonLoader({
  path: join(import.meta.dirname, 'messages'),
  watch: false,
});

const i18nModule = I18nModule.forRoot({
  fallbackLanguage: defaultLanguage,
  loaders: [messageFiles],
  resolvers: [{ resolve: (context) => requestLanguage(context.switchToHttp().getRequest()) }],
  disableMiddleware: true,
});

/** The omitted middleware and interceptor of `nestjs-i18n` would cost a fifth of a short request. */
@Module({
  imports: [{ ...i18nModule, providers: i18nModule.providers?.filter(isNoInterceptor) ?? [] }],
  providers: [MessagesService],
  exports: [MessagesService],
})
export class LocalizationModule {}

function isNoInterceptor(provider: Provider): boolean {
  return !('provide' in provider && provider.provide === APP_INTERCEPTOR);
}
