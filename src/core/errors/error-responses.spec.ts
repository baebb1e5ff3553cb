import { expect, it } from '@jest/globals';
import { ErrorResponses, toDomainError } from './error-responses.js';

const responses = new ErrorResponses({ textOf: ({ key }: { key: string }) => key } as never);

it.each([new Error('secret'), null, 'text', { status: 299 }, { statusCode: 502 }])(
  'ErrorResponses returns 500 without details for %j',
  (error) => {
    expect(responses.responseTo(toDomainError(error), 'en-us')).toEqual({
      status: 500,
      headers: { 'x-error-code': 'server.error' },
      body: {
        statusCode: 500,
        message: 'http.internalServerError',
        error: 'Internal Server Error',
      },
    });
  },
);
