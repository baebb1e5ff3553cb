import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MessagesService } from '../../src/core/localization/messages.service.js';
import { startTestService, type TestService } from '../support/test-service.js';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

describe('MessagesService', () => {
  it('returns values unchanged, even when the library would interpret them', () => {
    const values = ['$t(http.badRequest)', '$t(', '{property}', '{{x}}', '{0}', '$&', '$1'];
    for (const value of values) {
      const message = { key: 'validation.unknownField', values: { property: value } };
      const text = service.service.app.get(MessagesService).textOf(message, 'en-us');
      expect(text).toBe(`${value} is not a known field`);
    }
  });
});
