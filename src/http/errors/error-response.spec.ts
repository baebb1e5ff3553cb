import { describe, expect, it } from '@jest/globals';
import { DatabaseUnavailableError } from '../../database/connection/database-errors.js';
import { errorResponse, toDomainError } from './error-response.js';

describe('errorResponse', () => {
  it('of what is not known is a 500 without details', () => {
    for (const error of [new Error('secret'), null, 'text', { status: 299 }, { statusCode: 502 }]) {
      expect(errorResponse(toDomainError(error), 'en-us')).toEqual({
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
    const response = errorResponse(toDomainError(new DatabaseUnavailableError()), 'ar-eg');
    expect(response).toMatchObject({
      status: 503,
      headers: { 'x-error-code': 'server.unavailable', 'retry-after': '1' },
    });
  });
});
