import type { Language } from '../../src/core/localization/language.js';
import { messageFiles } from '../../src/reference/message-files.js';

type Texts = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** All messages by key, such as `http.badRequest`; loads the files like the service. */
export const messageTexts: Readonly<Record<Language, Readonly<Record<string, string>>>> = {
  'en-us': await textsIn('en-us'),
  'ar-eg': await textsIn('ar-eg'),
};

async function textsIn(language: Language): Promise<Record<string, string>> {
  const loaded = await Promise.all(messageFiles.map((files) => files.load()));
  const texts = loaded.flatMap((one) => Object.entries((one as Record<Language, Texts>)[language]));
  const keyed = texts.flatMap(([file, messages]) =>
    Object.entries(messages).map(([name, text]) => [`${file}.${name}`, text] as const),
  );
  return Object.fromEntries(keyed);
}
