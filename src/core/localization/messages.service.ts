import { Injectable } from '@nestjs/common';
import { I18nService } from 'nestjs-i18n';
import type { Language } from './language.js';

/** A message to be written in some language: its key and the values of its placeholders. */
export interface Message {
  readonly key: string;
  readonly values?: Readonly<Record<string, string | number>>;
}

/** The library replaces `$t(key)` in a finished text too, and values come from outside. */
const reference = '$t(';
const disarmedReference = '$\0t(';

/** The texts of `messages/<language>/*.json`. */
@Injectable()
export class MessagesService {
  constructor(private readonly i18n: I18nService) {}

  /** The text of a message in a language: its placeholders (`{name}`) filled, its plural by `count`. */
  textOf({ key, values = {} }: Message, language: Language): string {
    const args = Object.fromEntries(
      Object.entries(values).map(([name, value]) => [
        name,
        String(value).replaceAll(reference, disarmedReference),
      ]),
    );
    const text = this.i18n.translate<string, string>(key, { lang: language, args });
    return text.replaceAll(disarmedReference, reference);
  }
}
