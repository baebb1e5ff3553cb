import { Injectable } from '@nestjs/common';
import { I18nService } from 'nestjs-i18n';
import type { Language } from './language.js';

export interface LocalizedMessage {
  readonly key: string;
  readonly values?: Readonly<Record<string, string | number>>;
}

/** The library would also replace `$t(key)` in values, which come from clients. */
const reference = '$t(';
const escapedReference = '$\0t(';

@Injectable()
export class MessagesService {
  constructor(private readonly i18n: I18nService) {}

  textOf({ key, values = {} }: LocalizedMessage, language: Language): string {
    const args = Object.fromEntries(
      Object.entries(values).map(([name, value]) => [
        name,
        String(value).replaceAll(reference, escapedReference),
      ]),
    );
    const text = this.i18n.translate<string, string>(key, { lang: language, args });
    return text.replaceAll(escapedReference, reference);
  }
}
