import { describe, expect, it } from '@jest/globals';
import { allErrors } from './errors.js';
import { languages } from '../core/localization/language.js';
import { messageTexts } from '../../test/support/message-texts.js';

const messages = allErrors.flatMap(({ messageKey, sample = {}, otherMessages = [] }) => [
  { key: messageKey, values: sample },
  ...otherMessages.map((message) => ({ values: {}, ...message })),
]);

const isRule = (key: string) => key.startsWith('validation.');
const isSummary = (key: string) => key === 'http.moreMessages';

describe('the lists of errors', () => {
  it('have a unique code for each error', () => {
    const codes = allErrors.map(({ code }) => code);
    expect(new Set(codes).size).toBe(codes.length);
    for (const code of codes) expect(code).toMatch(/^[a-z]+\.[a-z_]+$/);
  });

  it('have a cause and a remedy for each error', () => {
    for (const { code, cause, remedy } of allErrors) {
      expect([code, cause, remedy]).toEqual([code, expect.any(String), expect.any(String)]);
      expect(`${cause}${remedy}`).not.toMatch(/\.$/);
    }
  });

  it.each(languages)('use exactly the messages that exist in %s', (language) => {
    const used = messages.map(({ key }) => key).filter((key) => !isRule(key));
    const known = Object.keys(messageTexts[language]).filter(
      (key) => !isRule(key) && !isSummary(key),
    );
    expect([...new Set(used)].toSorted()).toEqual(known.toSorted());
  });

  it.each(languages)('have a sample value for each placeholder in %s', (language) => {
    for (const { key, values } of messages) {
      const placeholders =
        JSON.stringify(messageTexts[language][key]).match(/(?<=\{)\w+(?=\})/g) ?? [];
      expect([key, placeholders.toSorted()]).toEqual([key, Object.keys(values).toSorted()]);
    }
  });
});
