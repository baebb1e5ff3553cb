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

  it('returns 500 without details for an unknown error', () => {
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

  it('returns Retry-After when the database does not respond', () => {
    const response = responses.of(toDomainError(new DatabaseUnavailableError()), 'ar-eg');
    expect(response).toMatchObject({
      status: 503,
      headers: { 'x-error-code': 'server.unavailable', 'retry-after': '1' },
    });
  });
});
