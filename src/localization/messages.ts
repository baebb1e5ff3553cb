import { readdirSync, readFileSync } from 'node:fs';
import { join, parse } from 'node:path';
import { Logger } from '@nestjs/common';
import { I18nService } from 'nestjs-i18n';
import { BehaviorSubject } from 'rxjs';
import { defaultLanguage, type Language, languages } from './language.js';

/** A message to be written in some language: its key and the values of its placeholders. */
export interface Message {
  readonly key: string;
  readonly values?: Readonly<Record<string, string | number>>;
}

/** The texts of a language by file and key, as `messages/<language>/*.json` has them. */
type Texts = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** Read when the file is loaded: decorators of the API reference need texts before any module. */
export const textsByLanguage = Object.fromEntries(
  languages.map((language) => [language, readTexts(language)]),
) as Readonly<Record<Language, Texts>>;

/**
 * The library's own module would run a middleware and an interceptor for every request, which
 * halves the rate of short ones; texts are needed for errors only.
 */
const i18n = new I18nService(
  { fallbackLanguage: defaultLanguage },
  new BehaviorSubject(textsByLanguage),
  new BehaviorSubject([...languages]),
  new Logger('I18nService'),
  [],
  new BehaviorSubject<string[]>([]),
  new BehaviorSubject({}),
);

/** The templates that were asked for, by language and key; keys come from the code, so they have an end. */
const templates = new Map<string, string>();

/** The text of a message in a language, its placeholders (`{name}`) filled. */
export function messageText({ key, values }: Message, language: Language): string {
  // The library would also interpret `$t(...)` inside the values, which come from outside.
  return templateOf(key, language).replaceAll(/\{(\w+)\}/g, (placeholder, name: string) =>
    String(values?.[name] ?? placeholder),
  );
}

function templateOf(key: string, language: Language): string {
  const known = templates.get(language + key);
  if (known !== undefined) return known;
  const template = i18n.translate<string, string>(key, { lang: language });
  templates.set(language + key, template);
  return template;
}

function readTexts(language: Language): Texts {
  const folder = join(import.meta.dirname, 'messages', language);
  return Object.fromEntries(
    readdirSync(folder).map((file) => {
      const text = readFileSync(join(folder, file), 'utf8');
      return [parse(file).name, JSON.parse(text) as Record<string, string>];
    }),
  );
}
