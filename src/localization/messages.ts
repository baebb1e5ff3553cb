import { Injectable } from '@nestjs/common';
import { I18nService } from 'nestjs-i18n';
import type { Language } from './language.js';

/** A text of the catalogues: its key and the values of its placeholders. */
export interface Message {
  readonly key: string;
  readonly values?: Readonly<Record<string, string | number>>;
}

/** Puts messages into words. */
@Injectable()
export class Messages {
  constructor(private readonly i18n: I18nService) {}

  /** The text of a message in a language, its placeholders (`{name}`) filled. */
  text(message: Message, language: Language): string {
    const template: unknown = this.i18n.translate(message.key, { lang: language });
    // The library would also interpret `$t(...)` inside the values, which come from outside.
    return String(template).replaceAll(/\{(\w+)\}/g, (placeholder, name: string) =>
      String(message.values?.[name] ?? placeholder),
    );
  }

  /** Whether the catalogues have the message. */
  has(key: string): boolean {
    return this.i18n.translate(key) !== key;
  }
}
