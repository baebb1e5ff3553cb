import { expect, it } from '@jest/globals';
import { DatabaseUnavailableError } from '../../database/connection/database-errors.js';
import { ErrorResponses, toDomainError } from './error-responses.js';

const responses = new ErrorResponses({ textOf: ({ key }: { key: string }) => key } as never);

it('returns 500 without details for an unknown error', () => {
  for (const error of [new Error('secret'), null, 'text', { status: 299 }, { statusCode: 502 }]) {
    expect(responses.of(toDomainError(error), 'en-us')).toEqual({
      status: 500,
      headers: { 'x-error-code': 'server.error' },
      body: {
        statusCode: 500,
        message: 'http.internalServerError',
        error: 'Internal Server Error',
      },
    });
  }
});

it('returns 503 with Retry-After when the database does not respond', () => {
  expect(responses.of(toDomainError(new DatabaseUnavailableError()), 'en-us')).toMatchObject({
    status: 503,
    headers: { 'x-error-code': 'server.unavailable', 'retry-after': '1' },
  });
});
