import { type DynamicModule, Module, type Provider } from '@nestjs/common';
import { APP_INTERCEPTOR } from '@nestjs/core';
import { type I18nLoader, I18nModule } from 'nestjs-i18n';
import { defaultLanguage, requestLanguage } from './language.js';
import { MessagesService } from './messages.service.js';

/** The omitted middleware and interceptor of `nestjs-i18n` would cost a fifth of a short request. */
@Module({ providers: [MessagesService], exports: [MessagesService] })
export class LocalizationModule {
  static forRoot(messageFiles: I18nLoader[]): DynamicModule {
    const i18nModule = I18nModule.forRoot({
      fallbackLanguage: defaultLanguage,
      loaders: messageFiles,
      resolvers: [{ resolve: (context) => requestLanguage(context.switchToHttp().getRequest()) }],
      disableMiddleware: true,
    });
    const providers = i18nModule.providers?.filter(isNoInterceptor) ?? [];
    return {
      module: LocalizationModule,
      global: true,
      imports: [{ ...i18nModule, providers }],
    };
  }
}

function isNoInterceptor(provider: Provider): boolean {
  return !('provide' in provider && provider.provide === APP_INTERCEPTOR);
}
