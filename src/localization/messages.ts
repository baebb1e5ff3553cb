import { readdirSync, readFileSync } from 'node:fs';
import { join, parse } from 'node:path';
import { type Language, languages } from './language.js';

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

/** The text of a message in a language, its placeholders (`{name}`) filled. */
export function messageText({ key, values }: Message, language: Language): string {
  return templateOf(key, language).replaceAll(/\{(\w+)\}/g, (placeholder, name: string) =>
    String(values?.[name] ?? placeholder),
  );
}

function templateOf(key: string, language: Language): string {
  const [file = '', name = ''] = key.split('.', 2);
  return textsByLanguage[language][file]?.[name] ?? key;
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
