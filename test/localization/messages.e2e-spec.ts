import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Language } from '../../src/core/localization/language.js';
import {
  type LocalizedMessage,
  MessagesService,
} from '../../src/core/localization/messages.service.js';
import { startTestService, type TestService } from '../support/test-service.js';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

const textOf = (key: string, values: NonNullable<LocalizedMessage['values']>, language: Language) =>
  service.service.app.get(MessagesService).textOf({ key, values }, language);

describe('MessagesService', () => {
  it('fills placeholders and selects the plural form of the language', () => {
    const counted = (count: number, language: Language) =>
      textOf('http.moreMessages', { count }, language);
    expect(counted(1, 'en-us')).toBe('1 more message is left out');
    expect(counted(2, 'en-us')).toBe('2 more messages are left out');
    expect([2, 3, 11, 100].map((count) => counted(count, 'ar-eg'))).toEqual([
      'وحُذفت رسالتان أخريان',
      'وحُذفت 3 رسائل أخرى',
      'وحُذفت 11 رسالة أخرى',
      'وحُذفت 100 رسالة أخرى',
    ]);
  });

  it('returns values unchanged, even when the library would interpret them', () => {
    const values = ['$t(http.badRequest)', '$t(', '{property}', '{{x}}', '{0}', '$&', '$1'];
    for (const value of values) {
      const text = textOf('validation.unknownField', { property: value }, 'en-us');
      expect(text).toBe(`${value} is not a known field`);
    }
  });
});
