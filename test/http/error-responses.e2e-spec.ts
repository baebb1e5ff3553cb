import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DatabaseUnavailableError } from '../../src/core/database/connection/database-errors.js';
import { ErrorResponses, toDomainError } from '../../src/core/http/errors/error-responses.js';
import { startTestService, type TestService } from '../support/test-service.js';

describe('ErrorResponses', () => {
  let service: TestService;
  let responses: ErrorResponses;

  beforeAll(async () => {
    service = await startTestService();
    responses = service.service.app.get(ErrorResponses);
  });
  afterAll(() => service.stop());

  it('of what is not known is a 500 without details', () => {
    for (const error of [new Error('secret'), null, 'text', { status: 299 }, { statusCode: 502 }]) {
      expect(responses.of(toDomainError(error), 'en-us')).toEqual({
        status: 500,
        headers: { 'x-error-code': 'server.error' },
        body: {
          statusCode: 500,
          message: 'Internal server error',
          error: 'Internal Server Error',
        },
      });
    }
  });

  it('of a database that does not respond says when to repeat', () => {
    const response = responses.of(toDomainError(new DatabaseUnavailableError()), 'ar-eg');
    expect(response).toMatchObject({
      status: 503,
      headers: { 'x-error-code': 'server.unavailable', 'retry-after': '1' },
    });
  });
});
